"""What real releases did with doubtful files, each seen in a run of `copilot -p` with such a file.

Doctor words its findings by it, and is calm only where every Copilot that uses the home is known
to take no harm: by the compat matrix where it has a claim, else by these runs.
"""

from dataclasses import dataclass

import semver


@dataclass(frozen=True, slots=True)
class Seen:
    """`harmless_since` is the earliest release that was run and took no harm.

    `decides` names what the matrix is asked first (`contract.DOUBTS`), empty for nothing.
    """

    told: str
    harmless_since: str
    decides: str = ""

    def is_harmless_in(self, version: str | None) -> bool:
        """Whether a release is known to be that late."""
        if version is None or not semver.Version.is_valid(version):
            return False
        return semver.Version.parse(version) >= semver.Version.parse(self.harmless_since)


BRACKETS = Seen("1.0.40 finds no hooks below such a folder, 1.0.102 does", "1.0.102")
INCOMPLETE_ENTRY = Seen(
    "1.0.10, 1.0.20 and 1.0.40 then start no server at all, 1.0.102 passes over that entry alone",
    "1.0.102",
    "warn-of-incomplete-entries",
)
ODD_NAME = Seen("1.0.10 and 1.0.20 then start no server at all, 1.0.40 takes it", "1.0.40")
WITHOUT_TOOLS = Seen(
    "releases before 1.0.10 may reject the whole file for it", "1.0.10", "warn-of-missing-tools"
)
SEVERAL_CONTEXTS = Seen(
    "1.0.20 to 1.0.83 give the model only what the last of them says, 1.0.92 and 1.0.102 all of it",
    "1.0.92",
    "warn-of-other-contexts",
)
DISABLE_ALL_HOOKS = "1.0.10 to 1.0.102 (four were run) run the Copilot home's hooks all the same"
CONFIG_HOOKS = (
    "1.0.10 and 1.0.20 run them, 1.0.40 moves them over those in settings.json, 1.0.102 runs none"
)
ENTRY_DISABLED = "1.0.102 then does not start it, 1.0.10, 1.0.20 and 1.0.40 do"
LISTED_AS_DISABLED = (
    "1.0.40 and 1.0.102 obey that in settings.json, 1.0.20 and 1.0.40 in config.json, and then"
    " do not start the server"
)
