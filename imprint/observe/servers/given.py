"""What a server says that it was given."""

import msgspec

from imprint.observe.scene import Scene


class Given(msgspec.Struct, frozen=True):
    """A server's arguments after its label, and all of its variables."""

    arguments: tuple[str, ...]
    variables: dict[str, str]


def read_given(scene: Scene, label: str) -> Given | None:
    """What the server with this label was given; None where it was not started."""
    path = scene.marks / f"{label}.given"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Given)
    except FileNotFoundError:
        return None
