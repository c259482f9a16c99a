"""Secrets are replaced before anything is stored."""

import re

MASK = "[redacted]"

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|\Z)",
    re.DOTALL,
)


def redact(text: str) -> str:
    """The text with every recognised secret replaced by `MASK`."""
    if "-----BEGIN " in text:
        text = _PRIVATE_KEY.sub(MASK, text)
    return text
