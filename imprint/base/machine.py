"""The name of the machine that something runs on, as npm and the compat matrix have it."""

import platform

_ARCHITECTURES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}


def platform_package(system: str, machine: str, libc: str) -> str:
    """The end of a platform package's name: `linux-x64`, `linuxmusl-arm64`, `win32-x64`."""
    flavour = "linuxmusl" if system == "linux" and libc != "glibc" else system
    return f"{flavour}-{_ARCHITECTURES.get(machine.lower(), machine.lower())}"


def machine_name(system: str) -> str:
    """This machine's, under a `system` such as `sys.platform`: that of WSL for one on Windows."""
    libc = platform.libc_ver()[0] if platform.system() == "Linux" else "glibc"
    return platform_package(system, platform.machine(), libc)
