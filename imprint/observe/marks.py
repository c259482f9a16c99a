"""What a recording hook leaves behind."""

from pathlib import Path

import msgspec


class Mark(msgspec.Struct, frozen=True):
    """One run of a recording hook.

    `variables` are names alone; `lag_ms` is after how long the transcript held the needle (-1:
    not in time, or not asked); `case` is the name of the case that fitted; `ended` whether it got
    to its end. `last_ns` is the wall clock when it was last known to run: at its end, else at the
    last beat of its waiting.
    """

    label: str
    began_ns: int
    stdin: str
    cwd: str
    words: tuple[str, ...]
    variables: tuple[str, ...]
    lag_ms: int
    case: str = ""
    ended: bool = False
    last_ns: int = 0

    @property
    def payload(self) -> dict[str, object]:
        """Stdin as a JSON object; empty where it was none."""
        try:
            return msgspec.json.decode(self.stdin, type=dict[str, object])
        except msgspec.DecodeError:
            return {}


def read_marks(folder: Path) -> tuple[Mark, ...]:
    """Every run of every hook, oldest first."""
    decoder = msgspec.json.Decoder(Mark)
    found = (_with_end(decoder.decode(path.read_bytes()), path) for path in folder.glob("*.json"))
    return tuple(sorted(found, key=lambda mark: mark.began_ns))


def _with_end(mark: Mark, path: Path) -> Mark:
    done, alive = _clock(path.with_suffix(".done")), _clock(path.with_suffix(".alive"))
    last = max(mark.began_ns, done or 0, alive or 0)
    return msgspec.structs.replace(mark, ended=done is not None, last_ns=last)


def _clock(path: Path) -> int | None:
    """The time in such a file; None where there is none."""
    try:
        return int(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
