"""The Windows side of a hook in a distribution: what the launcher starts, once per event.

`python -I -S -c START PACKAGE ACTION --store DIR --distribution NAME`, the payload on stdin: the
native hook (`imprint.hook_entry`, whose contract holds here to the letter) in the path context of
a distribution. Nothing of the distribution's file system is touched where the payload names its
transcript; that it lies in the `session-state` of a registered home is a matter of text here, and
of links where it is opened (`imprint.wsl.context`).

Only the standard library, `hook_entry`, and modules of this room that import nothing.
"""

import os
import sys

from imprint import hook_entry
from imprint.wsl.paths import (
    Mounts,
    UntranslatableError,
    escape,
    is_windows_form,
    to_linux,
    to_windows,
)
from imprint.wsl.transcripts import is_session_name, session_of

PROFILE_BYTES = 256 * 1024


class UnregisteredTranscript(ValueError):
    """A Stop payload names a file that is no transcript of a registered Copilot home."""


class Home:
    """What the bridge needs of a profile (`imprint.wsl.profile` writes them)."""

    def __init__(self, profile: dict[str, object]) -> None:
        self.home, self.real, self.local = (
            _text(profile, name) for name in ("home", "real", "local")
        )
        self.mounts = _mounts(profile.get("mounts"))


def registered_homes(store: str, distribution: str) -> list[Home]:
    """The homes of a distribution that this Imprint set up; none after `imprint wsl remove`."""
    folder = store + os.sep + "wsl"
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = []
    for name in names:
        if name.endswith(".json") and not name.endswith(".receipt.json"):
            profile = hook_entry.read_json(folder + os.sep + name, PROFILE_BYTES)
            if profile and _text(profile, "distribution").lower() == distribution.lower():
                found.append(Home(profile))
    return found


def answer(
    distribution: str, action: str, store: str, payload: dict[str, object]
) -> dict[str, object]:
    """What the hook says; `{}` says nothing, and so does every distribution that is unknown.

    Raises UnregisteredTranscript and UntranslatableError, which end in the log.
    """
    homes = registered_homes(store, distribution)
    if not homes:
        return {}
    is_real = hook_entry.REHEARSAL not in payload
    if action == "stop":
        if is_real and _spool(distribution, store, payload, homes):
            hook_entry.start_importer(store)
        return {}
    if is_real and hook_entry.spool_has_entries(store):
        hook_entry.start_importer(store)
    cwd = hook_entry.payload_field(payload, "cwd")
    text = digest_for(store + os.sep + "digests", cwd, distribution, homes[0].mounts)
    return hook_entry.context_answer(action, payload, text)


def digest_for(folder: str, cwd: str, distribution: str, mounts: Mounts) -> str:
    """The text for a working directory, under the name that the distribution gives it, or Windows.

    A folder on a drive is one project, whichever side worked in it.
    """
    for directory in _names_of(cwd, distribution, mounts):
        text = hook_entry.read_project_digest(folder, directory)
        if text:
            return text
    return hook_entry.read_global_digest(folder)


def transcript_of(payload: dict[str, object], distribution: str, homes: list[Home]) -> str:
    """The transcript that a Stop payload speaks of, as a path of the distribution.

    Empty where it speaks of none.
    """
    given = hook_entry.payload_field(payload, "transcript_path")
    if not given:
        return _by_layout(hook_entry.payload_field(payload, "session_id"), homes)
    path = to_linux(given, distribution, homes[0].mounts) if is_windows_form(given) else given
    if not any(session_of(path, home.home, home.real) for home in homes):
        raise UnregisteredTranscript
    return path


def _spool(distribution: str, store: str, payload: dict[str, object], homes: list[Home]) -> bool:
    transcript = transcript_of(payload, distribution, homes)
    if not transcript:
        return False
    noted: dict[str, object] = {
        "session_id": hook_entry.payload_field(payload, "session_id"),
        "transcript_path": transcript,
        "cwd": hook_entry.payload_field(payload, "cwd"),
        "hook_event_name": hook_entry.payload_field(payload, "event_name"),
    }
    return hook_entry.write_spool_entry(store, noted, f"wsl:{distribution}")


def _by_layout(session: str, homes: list[Home]) -> str:
    """The path can be empty: then the layout of session-state decides (see `hook_entry`)."""
    if is_session_name(session) and escape(session) == session:
        for home in homes:
            if os.path.isdir(os.sep.join((home.local, "session-state", session))):
                return f"{home.real.rstrip('/')}/session-state/{session}/events.jsonl"
    return ""


def _names_of(cwd: str, distribution: str, mounts: Mounts) -> list[str]:
    """A directory as recorded, and as the other side names it."""
    if not cwd:
        return []
    translate = to_linux if is_windows_form(cwd) else to_windows
    try:
        return [cwd, translate(cwd, distribution, mounts)]
    except UntranslatableError:
        return [cwd]


def _mounts(value: object) -> Mounts:
    listed = value if isinstance(value, list) else []
    return tuple((str(point), str(source)) for point, source in listed)


def _text(profile: dict[str, object], name: str) -> str:
    value = profile.get(name)
    return value if isinstance(value, str) else ""


def distribution_of(argv: list[str]) -> str:
    """The distribution that the launcher names."""
    position = argv.index("--distribution") + 1 if "--distribution" in argv else len(argv)
    return argv[position] if position < len(argv) else ""


def main() -> None:
    """Answer one payload and leave."""
    distribution = distribution_of(sys.argv)

    def reply(action: str, store: str, payload: dict[str, object]) -> dict[str, object]:
        if not store or not os.path.isdir(store):
            return {}
        return answer(distribution, action, store, payload)

    hook_entry.main(reply)
