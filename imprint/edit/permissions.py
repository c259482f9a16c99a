"""Whether a target may be replaced, found out before anything is touched."""

import os
import stat
import struct
import sys
from pathlib import Path

from imprint.edit.errors import NotWritable
from imprint.edit.target import Target

# linux/fs.h: FS_IOC_GETFLAGS is _IOR('f', 1, long); the two flags that forbid a rename.
_GETFLAGS = (2 << 30) | (struct.calcsize("l") << 16) | (ord("f") << 8) | 1
_IMMUTABLE, _APPEND_ONLY = 0x10, 0x20


def check_writable(target: Target) -> None:
    """NotWritable when replacing, creating or deleting the file is bound to fail.

    What is read-only is refused even where rights would do (root; a rename over a read-only
    file): who made it so meant it.
    """
    first_missing = target.missing_folders[0] if target.missing_folders else target.real
    _check_folder(target, first_missing.parent)
    fingerprint = target.fingerprint
    if fingerprint is None:
        return
    if not fingerprint.mode & stat.S_IWUSR or not os.access(target.real, os.W_OK):
        raise _refused(target.path, "is read-only", f"chmod u+w {target.real}")
    if sys.platform != "win32" and os.geteuid() not in (0, fingerprint.owner):
        raise _refused(
            target.path,
            f"belongs to another user (uid {fingerprint.owner})",
            "run the command as the owner",
        )
    if is_locked(target.real):
        raise _refused(target.path, "is immutable", f"chattr -i -a {target.real}")


def _check_folder(target: Target, folder: Path) -> None:
    # Windows shows any folder with an icon of its own as read-only; it means nothing there.
    is_read_only = sys.platform != "win32" and not folder.stat().st_mode & stat.S_IWUSR
    if is_read_only or not os.access(folder, os.W_OK | os.X_OK):
        raise _refused(
            target.path,
            f"is in a read-only folder, {folder}",
            f"give this user permission to write in {folder}",
        )
    if is_locked(folder):
        raise _refused(
            target.path, f"is in an immutable folder, {folder}", f"chattr -i -a {folder}"
        )


def is_locked(path: Path) -> bool:
    """Whether a flag of the file system forbids changes, to root as well."""
    if sys.platform == "linux":
        return bool(_linux_flags(path) & (_IMMUTABLE | _APPEND_ONLY))
    elif sys.platform == "darwin":  # noqa: RET505 - the type checker follows platforms this way
        locked = stat.UF_IMMUTABLE | stat.UF_APPEND | stat.SF_IMMUTABLE | stat.SF_APPEND
        return bool(path.stat().st_flags & locked)
    else:
        return False


def _linux_flags(path: Path) -> int:
    if sys.platform == "win32":
        return 0
    else:  # noqa: RET505
        import fcntl

        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return 0
        try:
            found = fcntl.ioctl(descriptor, _GETFLAGS, bytes(struct.calcsize("l")))
        except OSError:
            return 0  # a file system without such flags
        finally:
            os.close(descriptor)
        return int(struct.unpack("l", found)[0])


def owner_for_new(folder: Path) -> tuple[int, int]:
    """Owner and group of something created in `folder`; (-1, -1): as the system gives them.

    Root working in somebody's home must not leave files there that its owner can't write.
    """
    if sys.platform != "win32" and os.geteuid() == 0:
        found = folder.stat()
        return found.st_uid, found.st_gid
    return -1, -1


def _refused(path: Path, what: str, fix: str) -> NotWritable:
    return NotWritable(f"{path} {what}; nothing was changed", fix=fix)
