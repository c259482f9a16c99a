"""From a tarball that npm brought to a folder: the digest first, then regular files alone."""

import base64
import binascii
import hashlib
import shutil
import tarfile
from pathlib import Path, PurePosixPath

from imprint.sandbox.errors import ReleaseBroken

UNPACKED_BYTES = 2 * 1024**3
_ADVICE = "try again; if it stays so, the registry or a proxy serves something else"


def verify(tarball: Path, integrity: str) -> str:
    """Compare with npm's `integrity` (`sha512-BASE64`, perhaps several); the digest in hex."""
    wanted = [entry[7:] for entry in integrity.split() if entry.startswith("sha512-")]
    if not wanted:
        raise ReleaseBroken(f"the registry names no sha512 digest of {tarball.name}", fix=_ADVICE)
    with tarball.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    if digest not in [_decoded(entry) for entry in wanted]:
        raise ReleaseBroken(f"{tarball.name} has another digest than npm's metadata", fix=_ADVICE)
    return digest.hex()


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text.partition("?")[0], validate=True)
    except binascii.Error:
        return b""


def unpack(tarball: Path, target: Path) -> None:
    """Unpack below the new folder `target`, without the tarball's own top folder."""
    target.mkdir()
    total = 0
    try:
        with tarfile.open(tarball, "r:gz") as archive:
            for member in archive:
                if member.isdir():
                    continue
                total += member.size
                _extract(archive, member, target, total)
    except (tarfile.TarError, EOFError) as error:
        raise ReleaseBroken(f"{tarball.name} can't be unpacked: {error}", fix=_ADVICE) from error


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path, total: int) -> None:
    path = PurePosixPath(member.name)
    parts = path.parts[1:]
    safe = parts and not path.is_absolute() and ".." not in parts and "\\" not in member.name
    source = archive.extractfile(member) if member.isreg() and safe else None
    if source is None or total > UNPACKED_BYTES:
        raise ReleaseBroken(f"the tarball holds something odd: {member.name!r}", fix=_ADVICE)
    place = target.joinpath(*parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    with source, place.open("xb") as file:
        shutil.copyfileobj(source, file, 1024 * 1024)
    place.chmod(0o755 if member.mode & 0o100 else 0o644)
