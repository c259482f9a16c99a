"""Run as `python3 -m containers.wsl_distro.inside ORDER` in the distribution: one Copilot session.

The order is a JSON argument, the answer JSON on stdout.
"""

import sys
from pathlib import Path

import msgspec

from imprint.base.paths import Environment
from imprint.sandbox.isolation import ScratchHome
from imprint.sandbox.release import Kind, Release
from imprint.sandbox.script import SHELL, CallTool, Say
from imprint.sandbox.session import SessionSpec, run_prompt

HOME = Path("/home/ada")
"""The distribution's user: `HOME` is `home`, `COPILOT_HOME` is `copilot` below it."""


class SessionOrder(msgspec.Struct, frozen=True):
    """What to run; `words` are looked for in what the model is sent, `answer` is what it says."""

    version: str
    kind: Kind
    command: tuple[str, ...]
    folder: str
    unpacked: str
    prompt: str
    answer: str
    words: tuple[str, ...]


class Session(msgspec.Struct, frozen=True):
    """What came of it; `reached` are the words that the model was sent, `hooks` those that ended
    well by Copilot's own record."""

    exit_code: int
    timed_out: bool
    version: str
    folder: str
    reached: tuple[str, ...]
    hooks: tuple[str, ...]
    stderr: str


def main() -> None:
    """Run the session."""
    order = msgspec.json.decode(sys.argv[1], type=SessionOrder)
    host = Environment.current()
    work = HOME / "work"
    work.mkdir(exist_ok=True)
    unpacked = Path(order.unpacked) if order.unpacked else None
    release = Release(
        order.version, order.kind, order.command, Path(order.folder), unpacked=unpacked
    )
    names = ("WSL_DISTRO_NAME", "WSL_INTEROP")
    tool = CallTool(SHELL, {"command": "echo fine", "description": "Say fine"})
    spec = SessionSpec(
        release=release,
        prompt=order.prompt,
        turns=(tool, Say(order.answer)),
        scratch=ScratchHome(HOME),
        workdir=work,
        host=host,
        environment={name: host.get(name) for name in names},
        isolate=False,  # the container has no network
    )
    result = run_prompt(spec)
    seen = Session(
        exit_code=result.exit_code,
        timed_out=result.timed_out,
        version=result.copilot_version,
        folder=result.session_folder.name if result.session_folder else "",
        reached=tuple(
            word for word in order.words if any(one.contains(word) for one in result.model_requests)
        ),
        hooks=tuple(one.hook for one in result.hook_records if one.success),
        stderr=result.stderr[-2000:],
    )
    sys.stdout.buffer.write(msgspec.json.encode(seen) + b"\n")


if __name__ == "__main__":
    main()
