"""Copilot's own settings: readable, and without anything of ours."""

from collections.abc import Iterator

from imprint.base.checks import Check, Status
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id


def check_settings(facts: Facts) -> Iterator[Check]:
    """What can be read of settings.json and config.json, and keys that make Copilot complain."""
    files = (facts.settings, facts.config)
    found = False
    for file in files:
        if file.problem is not None:
            found = True
            yield Check.of_error(Id.SETTINGS, Status.ATTENTION, file.problem)
        private = [key for key in file.members() if key.lower().startswith("imprint")]
        if private:
            found = True
            yield Check(
                Id.SETTINGS,
                Status.ATTENTION,
                f"{file.path} has the key {', '.join(private)}, which Copilot does not know and"
                " warns about; Imprint keeps nothing there",
                f"delete {', '.join(private)} from {file.path}",
            )
    if not found:
        there = [file.path.name for file in files if file.is_there]
        yield Check(Id.SETTINGS, Status.OK, f"{' and '.join(there) or 'no settings'}: nothing odd")
