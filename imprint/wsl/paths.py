"""Paths between Windows and a distribution, as `wslpath` translates them: text in, text out.

The rules are those of Microsoft's `wslpath` (WSL's own source): the mounts decide, not a path's
name; what is on no mount is reached through `\\\\wsl.localhost`; reserved characters get a
private-use character on the way to Windows. No file system is asked, so `.` and `..` collapse as
text and symbolic links stay what they are.

The bridge runs this at every hook, without anything but the standard library: no imports here.
"""

Mounts = tuple[tuple[str, str], ...]
"""What is mounted, oldest first: the mount point, and the Windows path (empty: something else)."""

_ESCAPED = frozenset(map(chr, range(1, 32))) | frozenset('"*:<>?\\|')
_PRIVATE_USE = 0xF000
_ESCAPES = {ord(character): chr(_PRIVATE_USE + ord(character)) for character in _ESCAPED}
_UNESCAPES = {ord(private): chr(code) for code, private in _ESCAPES.items()}

_SHARE = "\\\\wsl.localhost\\"
_SHARES = (_SHARE, "\\\\wsl$\\")


class UntranslatableError(ValueError):
    """A path that has no counterpart on the other side; the message says why."""


def is_windows_form(path: str) -> bool:
    """Whether a path is Windows' by its form: a drive, or two separators at its start."""
    return path[:2] in {"\\\\", "//", "\\/", "/\\"} or has_drive(path)


def has_drive(path: str) -> bool:
    """Whether a path begins with a drive's letter and a colon."""
    return path[1:2] == ":" and path[0].isascii() and path[0].isalpha()


def drive_mounts(root: str, letters: str = "c") -> Mounts:
    """The mounts of `[automount] root=` in wsl.conf for these drives."""
    return tuple(
        (f"{root.rstrip('/')}/{letter.lower()}", f"{letter.upper()}:") for letter in letters
    )


def escape(text: str) -> str:
    """Text with a private-use character for each one that Windows reserves."""
    return text.translate(_ESCAPES)


def unescape(text: str) -> str:
    """The reverse; other private-use characters stay."""
    return text.translate(_UNESCAPES)


def to_windows(path: str, distribution: str, mounts: Mounts = ()) -> str:
    """The Windows path of a distribution's absolute path.

    Raises UntranslatableError for a relative path, one that climbs over the root, one with NUL,
    and one on no mount where the distribution's name is not known.
    """
    _check(path)
    if not path.startswith("/"):
        raise UntranslatableError(f"{path!r} is relative; give it from the root")
    path = _collapse(path, "/", protected=0)
    point, source = _mount_of(path, mounts)
    if source:
        rest = escape(path[len(point) :]).replace("/", "\\")
        return f"{source}{rest}" if rest or source[1:] != ":" else f"{source}\\"
    if not distribution:
        raise UntranslatableError(
            f"{path} is on no drive, and the distribution's name is not known"
        )
    return f"{_SHARE}{distribution}{escape(path).replace('/', chr(92))}"


def to_linux(path: str, distribution: str, mounts: Mounts = ()) -> str:
    """The path in a distribution of a Windows path.

    Raises UntranslatableError for a relative path (`C:x` and `\\x` too), one that climbs over its
    root, another distribution's, and one on a drive or share that is not mounted.
    """
    _check(path)
    windows = _canonical(path)
    found = _windows_mount(windows, mounts)
    if found is not None:
        point, source = found
        rest = windows[len(source) :].replace("\\", "/")
        return f"{point.rstrip('/')}{rest}" or "/"
    for share in _SHARES:
        if not windows.lower().startswith(share):
            continue
        name, separator, rest = windows[len(share) :].partition("\\")
        if distribution and name.lower() == distribution.lower():
            return unescape(f"/{rest}".replace("\\", "/")) if separator else "/"
        raise UntranslatableError(f"{path} belongs to another distribution: {name or '(none)'}")
    where = f"drive {windows[:2]}" if has_drive(windows) else "that share"
    raise UntranslatableError(f"{path}: {where} is not mounted in the distribution")


def _check(path: str) -> None:
    if not path or "\0" in path:
        raise UntranslatableError("an empty path" if not path else "a path with a NUL in it")


def _canonical(path: str) -> str:
    """Backslashes alone, no doubled ones, no `.` and `..`; without the `\\\\?\\` prefix."""
    windows = path.replace("/", "\\")
    is_unc = windows.startswith("\\\\")
    if not is_unc and not (has_drive(windows) and windows[2:3] == "\\"):
        raise UntranslatableError(f"{path!r} is relative; give it with its drive or share")
    if windows.startswith("\\\\?\\"):
        windows = windows[4:]
        is_unc = False
    if is_unc:
        return "\\" + _collapse("\\" + windows.lstrip("\\"), "\\", protected=0)
    return _collapse(windows, "\\", protected=1)


def _collapse(path: str, separator: str, *, protected: int) -> str:
    """A path without empty, `.` and `..` parts; `protected` parts at its start stay.

    A separator at the end stays, and comes where a `.` or `..` was the last part.
    """
    parts = path.split(separator)
    kept = parts[: protected or 1]
    root = len(kept)
    for part in parts[root:]:
        if part == "..":
            if len(kept) == root:
                raise UntranslatableError(f"{path} climbs over its root")
            kept.pop()
        elif part not in {"", "."}:
            kept.append(part)
    ends_open = parts[-1] in {"", ".", ".."} and len(parts) > root
    return separator.join(kept) + (separator if ends_open else "")


def _mount_of(path: str, mounts: Mounts) -> tuple[str, str]:
    """The mount that a Linux path lies on; what is mounted later hides what is below it."""
    found = ("", "")
    for point, source in mounts:
        if _is_prefix(point.rstrip("/"), path, "/"):
            found = (point.rstrip("/"), source.rstrip("\\"))
    return found


def _windows_mount(windows: str, mounts: Mounts) -> tuple[str, str] | None:
    """The mount of the longest Windows prefix that a later mount does not hide."""
    best: tuple[str, str] | None = None
    for position, (point, source) in enumerate(mounts):
        source = source.rstrip("\\")
        if not source or not _is_prefix(source.lower(), windows.lower(), "\\"):
            continue
        if any(_is_prefix(later.rstrip("/"), point, "/") for later, _ in mounts[position + 1 :]):
            continue
        if best is None or len(source) >= len(best[1]):
            best = (point, source)
    return best


def _is_prefix(prefix: str, path: str, separator: str) -> bool:
    return path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in {"", separator}
