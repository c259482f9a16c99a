"""What was odd about learned sessions, kept for `imprint doctor`, which opens no store for it."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from imprint.learn.damage import Damage
from imprint.learn.files import write_private
from imprint.learn.report import Gap

SESSIONS = 200
"""So many odd sessions are remembered, the latest."""


class Odd(msgspec.Struct, frozen=True):
    """What was odd about one session.

    `stuck_since` (seconds since 1970) is when a Stop hook announced a turn that never came.
    """

    path: str
    damage: Damage = msgspec.field(default_factory=Damage)
    gaps: tuple[Gap, ...] = ()
    stuck_since: float | None = None

    @property
    def is_worth_keeping(self) -> bool:
        """Whether there is anything to tell."""
        damage = self.damage
        return bool(damage.lines or damage.unknown or self.gaps or self.stuck_since is not None)


class _State(msgspec.Struct):
    last_at: float = 0.0
    last_key: str = ""
    odd: dict[str, Odd] = {}


class Health:
    """The file `health.json`; a damaged one is an empty one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._state = _load(path)
        self._is_changed = False

    @property
    def last_learned(self) -> tuple[float, str]:
        """When something was learned last (0: never), and the session's key."""
        return self._state.last_at, self._state.last_key

    @property
    def odd(self) -> Mapping[str, Odd]:
        """Odd sessions by key."""
        return self._state.odd

    def note_learned(self, key: str, now: float) -> None:
        """Something new was learned."""
        self._state.last_at, self._state.last_key = now, key
        self._is_changed = True

    def note_session(self, key: str, path: str, damage: Damage, gaps: tuple[Gap, ...]) -> None:
        """What is known of a session's transcript now, all of it."""
        before = self._state.odd.get(key)
        self._put(key, Odd(path, damage, gaps, before.stuck_since if before else None))

    def note_stuck(self, key: str, path: str, since: float | None) -> None:
        """A turn was announced and does not come; None: it came."""
        before = self._state.odd.get(key)
        if before is None and since is None:
            return
        odd = before or Odd(path)
        self._put(key, msgspec.structs.replace(odd, path=path, stuck_since=since))

    def save(self) -> None:
        """Write it if anything changed."""
        if self._is_changed:
            write_private(self._path, msgspec.json.encode(self._state))
            self._is_changed = False

    def _put(self, key: str, odd: Odd) -> None:
        known = self._state.odd
        if known.get(key) == odd or (key not in known and not odd.is_worth_keeping):
            return
        known.pop(key, None)
        if odd.is_worth_keeping:
            known[key] = odd
        while len(known) > SESSIONS:
            del known[next(iter(known))]
        self._is_changed = True


def _load(path: Path) -> _State:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_State)
    except (OSError, msgspec.DecodeError, ValueError):
        return _State()
