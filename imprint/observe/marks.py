"""What a recording hook leaves behind."""

from pathlib import Path

import msgspec


class Mark(msgspec.Struct, frozen=True):
    """One run of a recording hook.

    `variables` are names alone; `lag_ms` is after how long the transcript held the needle (-1:
    not in time, or not asked); `ended` whether it got to its end.
    """

    label: str
    began_ns: int
    stdin: str
    cwd: str
    words: tuple[str, ...]
    variables: tuple[str, ...]
    lag_ms: int
    ended: bool = False

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
    found = [
        msgspec.structs.replace(
            decoder.decode(path.read_bytes()), ended=path.with_suffix(".done").exists()
        )
        for path in folder.glob("*.json")
    ]
    return tuple(sorted(found, key=lambda mark: mark.began_ns))
