"""Run as `python -m containers.wsl_distro.wine_server PLACES`: this machine's half of a Windows
side under Wine.

`PLACES` are JSON. The environment is the one that Windows programs get. What the distribution
starts on the drive is started under Wine; what Windows' `wsl.exe` is asked, the stand-in of the
other player answers.
"""

import base64
import json
import os
import selectors
import socket
import subprocess
import sys
import threading
from pathlib import Path

import msgspec

from containers.wsl_distro.relay import note, serve
from containers.wsl_distro.sides import DRIVE, PYTHON_PLACE

CHUNK = 65536
LOOK_SECONDS = 0.05


class Places(msgspec.Struct, frozen=True):
    """`interop` and `distribution` are sockets, `listener` a descriptor; `wine` starts a program
    of the `drive`."""

    interop: str
    distribution: str
    name: str
    drive: str
    wine: tuple[str, ...]
    listener: int
    secret: str


def through_pipes(
    argv: list[str], cwd: str, environment: dict[str, str], streams: list[int]
) -> int:
    """Run a program on pipes of its own, as Wine needs them; its exit code.

    The end of the program counts: whatever it has started can keep the pipes open.
    """
    with subprocess.Popen(
        argv,
        cwd=cwd,
        env=environment,
        stdin=streams[0],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ, streams[1])
            selector.register(process.stderr, selectors.EVENT_READ, streams[2])
            has_ended = False
            while selector.get_map():
                ready = selector.select(LOOK_SECONDS)
                for key, _ in ready:
                    chunk = os.read(key.fd, CHUNK)
                    if not chunk or not _passed_on(key.data, chunk):
                        selector.unregister(key.fileobj)
                if has_ended and not ready:
                    break
                has_ended = process.poll() is not None
        return process.wait()


def _passed_on(descriptor: int, data: bytes) -> bool:
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return False  # nobody reads it any more
    return True


def answer_wsl(channel: socket.socket, places: Places) -> None:
    """One call of `wsl.exe`; whoever does not know the secret gets none."""
    with channel, channel.makefile("rb") as lines:
        order = json.loads(lines.readline() or b"{}")
        if order.get("secret") != places.secret:
            return
        done = subprocess.run(
            [sys.executable, "-IS", str(Path(__file__).with_name("wsl_exe.py")), *order["argv"]],
            env={
                "RELAY_LOG": os.environ["RELAY_LOG"],
                "STAND_IN_DISTRIBUTION": places.name,
                "STAND_IN_SOCKET": places.distribution,
                "WSL_UTF8": order["utf8"],
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        answer = {
            "exit_code": done.returncode,
            "stdout": base64.b64encode(done.stdout).decode(),
            "stderr": base64.b64encode(done.stderr).decode(),
        }
        channel.sendall(json.dumps(answer).encode())


def _serve_wsl(places: Places) -> None:
    with socket.socket(fileno=places.listener) as listener:
        while True:
            channel, _ = listener.accept()
            threading.Thread(target=answer_wsl, args=(channel, places), daemon=True).start()


def main() -> None:
    """Serve both."""
    places = msgspec.json.decode(sys.argv[1], type=Places)
    environment = {name: value for name, value in os.environ.items() if name != "RELAY_LOG"}

    def plan(order: dict[str, object]) -> tuple[list[str], str, dict[str, str]] | None:
        argv, cwd = order["argv"], str(order["cwd"])
        if not isinstance(argv, list) or argv[:1] != [f"{DRIVE}/{PYTHON_PLACE}"]:
            note({"unexpected": argv})
            return None
        is_on_drive = cwd == DRIVE or cwd.startswith(f"{DRIVE}/")
        place = f"{places.drive}{cwd.removeprefix(DRIVE)}" if is_on_drive else places.drive
        words = [f"{places.drive}/{PYTHON_PLACE}", *(str(word) for word in argv[1:])]
        return [*places.wine, *words], place, environment

    threading.Thread(target=_serve_wsl, args=(places,), daemon=True).start()
    serve(places.interop, plan, through_pipes)


if __name__ == "__main__":
    main()
