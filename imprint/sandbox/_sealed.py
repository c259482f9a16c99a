"""Run as `python -I -S _sealed.py FD PORT`: become a program inside an own network namespace.

Talks to its parent over the unix stream socket FD, one line of JSON a message:
1. to the parent: `{"sealed": true}` with the descriptor of a socket that listens on the new
   namespace's loopback, or `{"sealed": false, "reason": ...}` without one, and that is the end;
2. from the parent: `{"argv": [...], "env": {...}}`;
3. then this process *is* that program. The socket closes by that; or `{"errno": n}` is sent.

The parent serves on the passed socket, so the model runs in the parent and is reachable from
the namespace alone: a socket belongs to the namespace in which it was made.
"""

import ctypes
import fcntl
import json
import os
import signal
import socket
import struct
import sys

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
SIOCGIFFLAGS = 0x8913
SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def call(function: str, *arguments: int) -> None:
    """A function of libc; OSError with its errno where it fails."""
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, function)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}: {os.strerror(number)}")


def unshare_network() -> None:
    """An own network namespace; with an own user namespace where that alone permits it."""
    try:
        call("unshare", CLONE_NEWNET)
    except PermissionError:
        user, group = os.geteuid(), os.getegid()
        call("unshare", CLONE_NEWUSER | CLONE_NEWNET)
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", f"{user} {user} 1")
        write("/proc/self/gid_map", f"{group} {group} 1")


def write(path: str, text: str) -> None:
    """Write a file of /proc in one go."""
    with open(path, "w", encoding="ascii") as file:  # noqa: PTH123 (no site, fast start)
        file.write(text)


def loopback_up() -> None:
    """Switch on `lo`, which is down in a new namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 0)
        (flags,) = struct.unpack("16xH14x", fcntl.ioctl(any_socket, SIOCGIFFLAGS, request))
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))


def listen(port: int) -> socket.socket:
    """A listening socket in the namespace that this process is in now."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    return listener


def seal(parent: socket.socket, port: int) -> bool:
    """Step 1; whether there is more to do."""
    try:
        unshare_network()
        loopback_up()
        listener = listen(port)
    except OSError as error:
        answer = {"sealed": False, "reason": error.strerror or str(error)}
        parent.sendall(line(answer))
        return False
    socket.send_fds(parent, [line({"sealed": True})], [listener.fileno()])
    listener.close()
    return True


def line(value: object) -> bytes:
    """A message."""
    return json.dumps(value).encode("ascii") + b"\n"


def main() -> None:
    """All three steps."""
    # A killed Imprint must not leave a Copilot behind.
    call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    with socket.socket(fileno=int(sys.argv[1])) as parent:
        parent.set_inheritable(False)
        if not seal(parent, int(sys.argv[2])):
            return
        with parent.makefile("rb") as lines:
            order = lines.readline()
        if not order.endswith(b"\n"):
            return  # the parent is gone, or wants nothing any more
        program = json.loads(order)
        try:
            os.execve(program["argv"][0], program["argv"], program["env"])
        except OSError as error:
            parent.sendall(line({"errno": error.errno}))


if __name__ == "__main__":
    main()
