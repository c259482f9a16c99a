"""JSON as the data folder has it."""

import msgspec


def render(value: object) -> bytes:
    """JSON as the data folder has it: two spaces, UTF-8, a final newline."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
