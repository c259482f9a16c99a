"""Which observers asked: a name of exactly this code."""

from hashlib import sha256
from pathlib import Path


def probe_revision() -> str:
    """16 hexadecimal digits that change with any observer."""
    folder = Path(__file__).parent
    digest = sha256()
    for file in sorted(folder.rglob("*.py")):
        name = file.relative_to(folder).as_posix()
        digest.update(name.encode("utf-8") + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
