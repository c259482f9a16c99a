"""The name of the machine that something runs on, as npm and the compat matrix have it."""

import os
import sys

_ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}


def platform_package(system: str, machine: str, libc: str) -> str:
    """The end of a platform package's name: `linux-x64`, `linuxmusl-arm64`, `win32-x64`."""
    flavour = "linuxmusl" if system == "linux" and libc != "glibc" else system
    return f"{flavour}-{_ARCHITECTURES.get(machine.lower(), machine.lower())}"


def machine_name(system: str) -> str:
    """This machine's, under a `system` such as `sys.platform`: that of WSL for one on Windows."""
    return platform_package(system, _machine(), _libc())


def _machine() -> str:
    if hasattr(os, "uname"):
        return os.uname().machine
    import platform

    return platform.machine()


def _libc() -> str:
    """What `platform.libc_ver` says of this interpreter, without reading its file."""
    if sys.platform != "linux":
        return "glibc"
    try:
        version = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (ValueError, OSError):  # no such name: another C library
        return ""
    return version.partition(" ")[0]
