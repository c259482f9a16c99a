"""What Copilot runs at SessionStart and Stop: `python -I -S hook_entry.py ACTION --store DIR`.

Self-contained on purpose: under `-I -S` only the standard library can be imported, not even
the folder of this file. Others import the payload dialects and the formats of spool and digest
from here, never the other way round.

The contract, whatever comes in: exit code 0, exactly one JSON object on stdout, no waiting for
the end of stdin, an end before the host's time limit, no turn blocked, no tool denied. What goes
wrong is one line in `DIR/log/hook.log`, without any conversation text.

Every import costs the user's time at every turn: no json, pathlib, subprocess, tempfile, sqlite3,
threading or typing here (a test looks at what a real run imported).
"""

from __future__ import annotations

import _thread
import os
import sys
import time

TYPE_CHECKING = False  # as `typing` has it, whose import costs too much here
if TYPE_CHECKING:
    from collections.abc import Callable

try:
    # The C half of `json` without its Python half: that imports `re`, which takes as long as
    # the interpreter's own start.
    from _json import encode_basestring_ascii, make_scanner
except ImportError:  # another Python implementation
    from json.encoder import encode_basestring_ascii
    from json.scanner import make_scanner

ACTIONS = ("copilot-session-start", "session-start", "stop")

STDIN_SECONDS = 1.0
"""Tool hooks of some releases leave stdin open for a minute; nobody waits that long."""

JOB_SECONDS = 5.0
"""All there is to do; half of the 10 s that setup registers for SessionStart."""

PAYLOAD_BYTES = 8 * 1024 * 1024
DIGEST_BYTES = 64 * 1024
SPOOL_ENTRIES = 5000
LOG_BYTES = 1024 * 1024
LOG_FILES = 3

SPOOL_SUFFIX = ".json"
GLOBAL_DIGEST = "global.json"
FORMAT_VERSION = 1

REHEARSAL = "imprint_rehearsal"
"""A payload with this key is doctor's: answered like any other, but nothing is noted or started."""

# Payload dialects: PascalCase registrations get snake_case keys since 1.0.40 and camelCase
# before; VS Code mixes both (`sessionId` beside `transcript_path`).
_SPELLINGS = {
    "session_id": ("session_id", "sessionId"),
    "transcript_path": ("transcript_path", "transcriptPath"),
    "cwd": ("cwd",),
    "event_name": ("hook_event_name", "hookEventName"),
}


# --- JSON ----------------------------------------------------------------------------------


class _ScannerOptions:
    """What `json.JSONDecoder` would tell the scanner; control characters are let pass."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def decode_json(text: str) -> object:
    """The value of a JSON text without surrounding white space; ValueError where it is none."""
    try:
        value, end = make_scanner(_ScannerOptions)(text, 0)  # type: ignore[arg-type]
    except StopIteration as error:
        raise ValueError("no JSON value") from error
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def encode_json(value: object) -> str:
    """JSON text, ASCII only, of the objects, strings and integers that this file writes."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(
                encode_basestring_ascii(k) + ": " + encode_json(v) for k, v in value.items()
            )
            + "}"
        )
    return encode_basestring_ascii(value) if isinstance(value, str) else str(value)


# --- payload -------------------------------------------------------------------------------


def parse_payload(data: bytes) -> dict[str, object] | None:
    """The JSON object in `data`, or None: a BOM, NULs and broken UTF-8 are tolerated."""
    text = data.decode("utf-8", "replace").lstrip("\ufeff").strip("\0 \t\r\n")
    if not text.startswith("{"):
        return None
    try:
        value = decode_json(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def payload_field(payload: dict[str, object], name: str) -> str:
    """A field under any spelling that a host uses; empty where it is missing or no string."""
    for key in _SPELLINGS[name]:
        value = payload.get(key)
        if isinstance(value, str):
            return value
    return ""


def wants_nested_answer(payload: dict[str, object]) -> bool:
    """Whether the host is VS Code's own harness, which reads `hookSpecificOutput` alone.

    It names the event `hookEventName`; no Copilot CLI release does.
    """
    return "hookEventName" in payload


def read_payload(descriptor: int, seconds: float) -> dict[str, object]:
    """One complete JSON object from a pipe, without waiting for its end.

    Returns `{}` when none came within `seconds`.
    """
    done = _thread.allocate_lock()
    done.acquire()
    found: list[dict[str, object]] = []

    def pump() -> None:
        data = b""
        try:
            while len(data) < PAYLOAD_BYTES:
                chunk = os.read(descriptor, 65536)
                data += chunk
                # Only a buffer that ends like an object can be a whole one.
                if not chunk or data.rstrip(b"\0 \t\r\n").endswith(b"}"):
                    payload = parse_payload(data)
                    if payload is not None:
                        found.append(payload)
                        return
                if not chunk:
                    return
        except BaseException:
            return  # a payload that can't be read is no payload; nothing may reach stderr
        finally:
            done.release()

    _thread.start_new_thread(pump, ())
    done.acquire(True, seconds)
    return found[0] if found else {}


# --- digests: what SessionStart gives back ---------------------------------------------------


def canonical_directory(directory: str) -> str:
    """A recorded directory in the one form that digests are filed under.

    Windows forms (drive or UNC) compare without case and with either separator.
    """
    if directory[1:3] in {":\\", ":/"} or directory.startswith("\\\\"):
        directory = directory.replace("/", "\\").lower()
        return directory.rstrip("\\")
    return directory.rstrip("/") or "/"


def parent_directories(directory: str) -> list[str]:
    """The canonical directory and its parents, deepest first, without the root."""
    path = canonical_directory(directory)
    separator = "/" if path.startswith("/") else "\\"
    found = []
    while path and path.strip(separator):
        found.append(path)
        cut = path.rfind(separator)
        path = path[:cut] if cut > 0 else ""
    return found


def digest_name(directory: str) -> str:
    """The file name of a directory's digest: 64-bit FNV-1a of the canonical form.

    Not hashlib, whose import costs more than all that is hashed here; the file names its
    directory, so that a collision is noticed.
    """
    value = 0xCBF29CE484222325
    for byte in canonical_directory(directory).encode("utf-8", "surrogatepass"):
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}.json"


def read_digest(folder: str, cwd: str) -> str:
    """The prepared text for a working directory: of the deepest project that holds it, else
    the global one; empty where nothing was prepared.
    """
    return read_project_digest(folder, cwd) or read_global_digest(folder)


def read_project_digest(folder: str, cwd: str) -> str:
    """The text of the deepest project that holds a working directory; else empty."""
    for directory in parent_directories(cwd):
        digest = read_json(folder + os.sep + digest_name(directory), DIGEST_BYTES)
        if digest is None:
            continue
        recorded = digest.get("directory")
        if isinstance(recorded, str) and canonical_directory(recorded) == directory:
            return _text_of(digest)
    return ""


def read_global_digest(folder: str) -> str:
    """The text for wherever nothing else was prepared; else empty."""
    return _text_of(read_json(folder + os.sep + GLOBAL_DIGEST, DIGEST_BYTES) or {})


def _text_of(digest: dict[str, object]) -> str:
    text = digest.get("text")
    return text if isinstance(text, str) else ""


def read_json(path: str, limit: int) -> dict[str, object] | None:
    """The JSON object in a file of ours; None where there is none, or it is longer than `limit`."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        data = os.read(descriptor, limit)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return parse_payload(data)


# --- the spool: what Stop hands over ----------------------------------------------------------


def write_spool_entry(store: str, payload: dict[str, object], context: str = "") -> bool:
    """Note a finished turn in `store`/spool, whole or not at all; False when nothing needs it.

    `context` names the path context of its paths; empty: this system's own.
    """
    transcript = locate_transcript(payload)
    if not transcript:
        return False
    folder = store + os.sep + "spool"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if len(os.listdir(folder)) >= SPOOL_ENTRIES:
        # Nobody drains it: the transcripts themselves stay the source, `imprint learn` reads them.
        raise OSError(0, "the spool is full")
    entry = {
        "version": FORMAT_VERSION,
        "action": "stop",
        "session_id": payload_field(payload, "session_id"),
        "transcript_path": transcript,
        "cwd": payload_field(payload, "cwd"),
        "event_name": payload_field(payload, "event_name"),
        "received_ns": time.time_ns(),
        "copilot_home": os.environ.get("COPILOT_HOME", ""),
        "context": context,
    }
    name = f"{time.time_ns():020d}-{os.getpid()}"
    partial = folder + os.sep + "." + name
    _write_new(partial, encode_json(entry).encode("ascii"))
    os.replace(partial, folder + os.sep + name + SPOOL_SUFFIX)
    return True


_ENTRY_TEXTS = (
    "action",
    "session_id",
    "transcript_path",
    "cwd",
    "event_name",
    "copilot_home",
    "context",
)


def read_spool_entry(path: str) -> dict[str, object] | None:
    """A spool entry, all its string fields present (empty where unknown); None if unreadable."""
    entry = read_json(path, PAYLOAD_BYTES)
    if entry is None or entry.get("version") != FORMAT_VERSION:
        return None
    for name in _ENTRY_TEXTS:
        if not isinstance(entry.get(name), str):
            entry[name] = ""
    if not isinstance(entry.get("received_ns"), int):
        entry["received_ns"] = 0
    return entry


def locate_transcript(payload: dict[str, object]) -> str:
    """The transcript that a Stop payload speaks of; empty where it speaks of none.

    The path can be empty: then the layout of session-state decides. The id of a subagent's
    Stop has no folder there, and nothing of it needs learning.
    """
    given = payload_field(payload, "transcript_path")
    if given:
        return given
    session_id = payload_field(payload, "session_id")
    if not session_id or session_id in {".", ".."} or "/" in session_id or "\\" in session_id:
        return ""
    home = os.environ.get("COPILOT_HOME") or os.path.expanduser("~" + os.sep + ".copilot")
    folder = os.sep.join((home, "session-state", session_id))
    return folder + os.sep + "events.jsonl" if os.path.isdir(folder) else ""


def _write_new(path: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        os.unlink(path)
        raise
    finally:
        os.close(descriptor)


# --- the importer: started, never waited for ---------------------------------------------------


def start_importer(store: str) -> None:
    """Start `imprint learn --spool` as a process of its own: new session, none of our pipes.

    A host waits until a hook's stdout and stderr are closed, so the child may not hold them.
    """
    arguments = [sys.executable, "-P", "-m", "imprint", "learn", "--spool", "--store", store]
    environment = {k: v for k, v in os.environ.items() if not k.upper().startswith("PYTHON")}
    environment["IMPRINT_HOME"] = store
    if sys.platform == "win32":
        _start_on_windows(arguments, environment)
    else:
        _start_on_posix(arguments, environment)


def _start_on_posix(arguments: list[str], environment: dict[str, str]) -> None:
    for name in os.listdir("/dev/fd"):
        if name.isdigit() and int(name) > 2:
            try:
                os.set_inheritable(int(name), False)
            except OSError:
                continue  # the descriptor of this very listing
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    program = arguments[0]
    try:
        os.posix_spawn(program, arguments, environment, file_actions=quiet, setsid=True)
    except NotImplementedError:
        os.posix_spawn(program, arguments, environment, file_actions=quiet, setpgroup=0)


def _start_on_windows(arguments: list[str], environment: dict[str, str]) -> None:
    import _winapi  # type: ignore[import-not-found, unused-ignore]

    detached, new_group, breakaway = 0x00000008, 0x00000200, 0x01000000
    line = windows_command_line(arguments)
    for flags in (detached | new_group | breakaway, detached | new_group):
        try:
            handles = _winapi.CreateProcess(  # type: ignore[attr-defined, unused-ignore]
                arguments[0], line, None, None, False, flags, environment, None, None
            )
        except PermissionError:
            continue  # a job that lets nobody break away
        for handle in handles[:2]:
            _winapi.CloseHandle(handle)  # type: ignore[attr-defined, unused-ignore]
        return


def windows_command_line(arguments: list[str]) -> str:
    """One command line that Windows' C runtime splits into `arguments` again."""
    quoted = []
    for argument in arguments:
        result, backslashes = '"', 0
        for character in argument:
            if character == "\\":
                backslashes += 1
                continue
            # Backslashes are doubled before a quote alone.
            result += "\\" * (backslashes * 2 + 1 if character == '"' else backslashes)
            result += character
            backslashes = 0
        quoted.append(result + "\\" * (backslashes * 2) + '"')
    return " ".join(quoted)


def spool_has_entries(store: str) -> bool:
    """Whether somebody was killed before what it noted was learned."""
    try:
        names = os.listdir(store + os.sep + "spool")
    except OSError:
        return False
    return any(name.endswith(SPOOL_SUFFIX) and not name.startswith(".") for name in names)


# --- the log: failing open is noted --------------------------------------------------------------


def note_failure(store: str, action: str, error: BaseException) -> None:
    """Append one line to the log: when, which action, what kind of error and where.

    Never the error's message: it could quote a payload.
    """
    trace, line = error.__traceback__, 0
    while trace is not None:
        line, trace = trace.tb_lineno, trace.tb_next
    number = getattr(error, "errno", None)
    cause = type(error).__name__ + (f" errno {number}" if number is not None else "")
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        folder = store + os.sep + "log"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        append_log(folder + os.sep + "hook.log", f"{stamp} {action} {cause} line {line}\n")
    except OSError:
        return  # nowhere to say it


def append_log(path: str, text: str) -> None:
    """Append to a log that is kept to `LOG_FILES` files of `LOG_BYTES` each."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        os.write(descriptor, text.encode("utf-8", "replace"))
        full = os.fstat(descriptor).st_size >= LOG_BYTES
    finally:
        os.close(descriptor)
    if full:
        for number in range(LOG_FILES - 1, 0, -1):
            older = path if number == 1 else f"{path}.{number - 1}"
            if os.path.exists(older):
                os.replace(older, f"{path}.{number}")


# --- the hook -------------------------------------------------------------------------------


def answer(action: str, store: str, payload: dict[str, object]) -> dict[str, object]:
    """What the hook says; `{}` says nothing."""
    if not store or not os.path.isdir(store):
        return {}  # half removed: harmless
    is_real = REHEARSAL not in payload
    if action == "stop":
        if is_real and write_spool_entry(store, payload):
            start_importer(store)
        return {}
    if is_real and spool_has_entries(store):
        start_importer(store)  # somebody was killed before it was learned
    text = read_digest(store + os.sep + "digests", payload_field(payload, "cwd"))
    return context_answer(action, payload, text)


def context_answer(action: str, payload: dict[str, object], text: str) -> dict[str, object]:
    """SessionStart's answer in the shape that the host reads."""
    if not text:
        return {}
    if action == "session-start" or wants_nested_answer(payload):
        nested = {"hookEventName": "SessionStart", "additionalContext": text}
        return {"hookSpecificOutput": nested}
    return {"additionalContext": text}


def _arguments(argv: list[str]) -> tuple[str, str]:
    action = argv[1] if len(argv) > 1 else ""
    store = ""
    if "--store" in argv:
        position = argv.index("--store") + 1
        store = argv[position] if position < len(argv) else ""
    return action, store


def run(
    argv: list[str],
    descriptor: int = 0,
    seconds: float = JOB_SECONDS,
    reply: Callable[[str, str, dict[str, object]], dict[str, object]] = answer,
) -> bytes:
    """The hook's whole output for a command line and a payload on `descriptor`; never raises.

    `reply` says what to answer from action, store and payload.
    """
    action, store = _arguments(argv)
    if action not in ACTIONS:
        return b"{}\n"
    finished = _thread.allocate_lock()
    finished.acquire()
    said: list[dict[str, object]] = []

    def job() -> None:
        try:
            said.append(reply(action, store, read_payload(descriptor, STDIN_SECONDS)))
        except BaseException as error:
            note_failure(store, action, error)
        finally:
            finished.release()

    # A file system that hangs must not hang the turn: the job may be left behind.
    _thread.start_new_thread(job, ())
    finished.acquire(True, seconds)
    return encode_json(said[0] if said else {}).encode("ascii") + b"\n"


def main(
    reply: Callable[[str, str, dict[str, object]], dict[str, object]] = answer,
) -> None:
    """Answer and leave at once: a thread that still reads must not hold the process."""
    output = b"{}\n"
    try:
        output = run(sys.argv, reply=reply)
    finally:
        try:
            os.write(1, output)
        finally:
            os._exit(0)


if __name__ == "__main__":
    main()
