"""What may be learned: the user's roots in `config.toml`, excluded clients, and pauses.

A session is learned only if all its recorded directories are allowed (ADR 0034: recorded
evidence alone decides). Nothing is learned that was said during a pause, not later either.
"""

import contextlib
import datetime as dt
import hashlib
import ntpath
import os
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from imprint.base.config import ConfigError, load_config
from imprint.base.pathcontext import PathContext
from imprint.base.paths import Environment
from imprint.hook_entry import canonical_directory
from imprint.learn.files import write_private
from imprint.learn.report import SkipReason
from imprint.learn.windows import is_windows_path


class Pause(msgspec.Struct, frozen=True):
    """From when to when nothing is learned; seconds since 1970, an open end is None."""

    begin: float
    end: float | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """What the user allows. `digest` names it, so that a change is noticed."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclude_clients: tuple[str, ...] = ()
    pauses: tuple[Pause, ...] = ()
    ignore_case: bool = False

    @property
    def digest(self) -> bytes:
        """Eight bytes that stand for the roots and clients."""
        parts = (self.include, self.exclude, self.exclude_clients, self.ignore_case)
        return hashlib.blake2b(repr(parts).encode("utf-8", "replace"), digest_size=8).digest()

    @property
    def is_paused(self) -> bool:
        """Whether learning is paused now."""
        return any(pause.end is None for pause in self.pauses)

    def refusal(
        self, directories: Iterable[str], clients: Iterable[str], paths: PathContext
    ) -> SkipReason | None:
        """Why a session with these directories is not learned; None if it may be."""
        if self.exclude_clients and not set(self.exclude_clients).isdisjoint(clients):
            return SkipReason.EXCLUDED_CLIENT
        directories = tuple(directories)
        if not directories:
            return SkipReason.NO_DIRECTORY
        forms = [self._forms(directory, paths) for directory in directories]
        if any(_under(form, root) for names in forms for form in names for root in self.exclude):
            return SkipReason.EXCLUDED
        if self.include and not all(
            any(_under(form, root) for form in names for root in self.include) for names in forms
        ):
            return SkipReason.NOT_INCLUDED
        return None

    def was_paused(self, timestamp: str) -> bool:
        """Whether something was said during a pause; what has no time counts as said now."""
        if not self.pauses:
            return False
        try:
            moment = dt.datetime.fromisoformat(timestamp).timestamp()
        except ValueError:
            return self.is_paused
        return any(
            pause.begin <= moment and (pause.end is None or moment < pause.end)
            for pause in self.pauses
        )

    def _forms(self, directory: str, paths: PathContext) -> set[str]:
        """A recorded directory as recorded, and as this system names it."""
        names = {directory}
        with contextlib.suppress(ValueError):  # no path of this system leads there
            names.add(os.fspath(paths.local(directory)))
        return {_canonical(name, ignore_case=self.ignore_case) for name in names}


def load_policy(environment: Environment) -> Policy:
    """The policy of an `IMPRINT_HOME`; raises `ConfigError` where it is not clear."""
    layout = environment.layout()
    config = load_config(layout.config)
    return Policy(
        include=_roots(config.include, environment, layout.config),
        exclude=_roots(config.exclude, environment, layout.config),
        exclude_clients=config.exclude_clients,
        pauses=_load_pauses(layout.pauses),
        ignore_case=_ignores_case(environment),
    )


def pause(environment: Environment, now: float) -> bool:
    """Learn nothing of what is said from now on; False if that was so already."""
    path = environment.layout().pauses
    pauses = _load_pauses(path)
    if any(pause.end is None for pause in pauses):
        return False
    write_private(path, msgspec.json.encode((*pauses, Pause(now))))
    return True


def unpause(environment: Environment, now: float) -> bool:
    """Go on learning; False if there was no pause."""
    path = environment.layout().pauses
    pauses = _load_pauses(path)
    ended = tuple(p if p.end is not None else Pause(p.begin, max(now, p.begin)) for p in pauses)
    if ended == pauses:
        return False
    write_private(path, msgspec.json.encode(ended))
    return True


def _load_pauses(path: Path) -> tuple[Pause, ...]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Pause, ...])
    except FileNotFoundError:
        return ()
    except (OSError, msgspec.DecodeError, ValueError) as error:
        # Guessing could learn what was not to be learned.
        raise ConfigError(
            f"{path} does not say when learning was paused: {error}",
            fix=f"remove {path}, then `imprint pause` if nothing is to be learned",
        ) from error


def _roots(names: Iterable[str], environment: Environment, config: Path) -> tuple[str, ...]:
    """Absolute roots in canonical form, as written and with symbolic links followed."""
    found: dict[str, None] = {}
    for name in names:
        if name == "~" or name.startswith(("~/", "~\\")):
            name = os.fspath(environment.home) + name[1:]
        if not name.startswith("/") and not is_windows_path(name):
            raise ConfigError(
                f"{config}: {name!r} is not an absolute directory",
                fix="write it from the root, or from the home as ~/...",
            )
        forms = [name]
        # Another system's root has no links here: on Windows `/home` (of a distribution) would be
        # a folder of whichever drive is the current one, and `/` all of that drive.
        if is_windows_path(name) == (environment.platform == "win32"):
            forms.append(os.path.realpath(name))
        for form in forms:
            found[_canonical(form, ignore_case=_ignores_case(environment))] = None
    return tuple(found)


def _ignores_case(environment: Environment) -> bool:
    return environment.platform in {"darwin", "win32"}


def _canonical(directory: str, *, ignore_case: bool) -> str:
    """One form for all spellings of a directory: no `..`, no trailing separator."""
    if is_windows_path(directory):
        name = canonical_directory(ntpath.normpath(directory))
        return name.replace("\\\\wsl$\\", "\\\\wsl.localhost\\", 1)
    name = canonical_directory(posixpath.normpath(directory))
    return name.lower() if ignore_case else name


def _under(directory: str, root: str) -> bool:
    separator = "\\" if is_windows_path(root) else "/"
    return directory == root or directory.startswith(root.rstrip(separator) + separator)
