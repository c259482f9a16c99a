"""Parse, call, render: the one boundary between errors and exit codes."""

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from imprint import __version__
from imprint.base.errors import UsageError
from imprint.cli._commands import SUMMARIES, load

INTERRUPTED = 130

_GARBAGE = 10_000
"""So many more objects made than gone until cycles are looked for. Imports make thousands that
stay: with Python's own 700 a tenth of a small command's time goes into looking."""


class _Parser(argparse.ArgumentParser):
    """argparse exits with 2, which means `refused` here; usage is 64."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, fix=f"see: {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Without `argv` it is what the process is for."""
    if argv is not None:
        return _run(list(argv))
    gc.set_threshold(_GARBAGE)
    code = _run(sys.argv[1:])
    gc.freeze()  # the process ends: nobody needs to look through all that was imported
    return code


def _run(words: list[str]) -> int:
    if words[:1] == ["hook"]:
        return _hook(words)
    _present_output()
    _tolerant_output()
    try:
        code = _guarded(words)
        sys.stdout.flush()
    except BrokenPipeError:
        return _reader_gone()
    return code


def _guarded(words: list[str]) -> int:
    as_json = "--json" in words
    name = words[0] if words and words[0] in SUMMARIES else ""
    try:
        return _dispatch(name, words, as_json=as_json)
    except SystemExit as leave:  # argparse after --help and --version
        return leave.code if isinstance(leave.code, int) else 0
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one boundary
        from imprint.cli._render import failure, show  # `--version` renders nothing

        result = failure(name, error)
        show(result, (), as_json=as_json)
        return int(result.exit_code)


def _hook(words: list[str]) -> int:
    """A hook answers one JSON object and exits with 0, whatever its command line looks like."""
    try:
        return _dispatch("hook", words, as_json=False)
    except SystemExit:
        return 0  # --help
    except Exception:  # noqa: BLE001 - failing open is the contract of everything Copilot runs
        sys.stdout.write("{}\n")
        return 0


def _dispatch(name: str, words: list[str], *, as_json: bool) -> int:
    if not name:
        return _overview(words)
    from imprint.cli._context import Context  # `--version` and `--help` need none
    from imprint.cli._render import show

    command = load(name)
    parser = _Parser(
        prog=f"imprint {name}", description=f"{SUMMARIES[name][0].upper()}{SUMMARIES[name][1:]}."
    )
    parser.add_argument("--json", action="store_true", help="print the JSON envelope")
    command.configure(parser)
    arguments = parser.parse_args(words[1:])
    result = command.run(arguments, Context.current(as_json=as_json))
    if result is None:
        return 0
    show(result, tuple(command.text(result)), as_json=as_json)
    return int(result.exit_code)


def _overview(words: list[str]) -> int:
    width = max(map(len, SUMMARIES))
    listing = "\n".join(f"  {name:<{width}}  {summary}" for name, summary in SUMMARIES.items())
    parser = _Parser(
        prog="imprint",
        description="Long-term memory for GitHub Copilot that can prove it works.",
        epilog=f"commands:\n{listing}\n\nimprint COMMAND --help says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"imprint {__version__}")
    parser.add_argument("command", choices=list(SUMMARIES), metavar="COMMAND", nargs="?")
    arguments = parser.parse_args([word for word in words if word != "--json"])
    if arguments.command is None:
        parser.print_help()
    return 0


def _present_output() -> None:
    """On Windows a process without a console (the detached importer) has no streams at all."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            # It lasts as long as the process.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115


def _tolerant_output() -> None:
    """Memories hold any character; a console that can't show one must not end the command."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _reader_gone() -> int:
    """`imprint sessions | head` is no error; keep Python from flushing into the closed pipe."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
