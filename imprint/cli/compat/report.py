"""`imprint compat report --out DIR`: the report on the data that Imprint ships."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from imprint.base.errors import RefusedError
from imprint.compat import data_folder
from imprint.compat.report import report_files


class Written(msgspec.Struct, frozen=True):
    """Files that were written; `changed` are those that were other before, or not there."""

    folder: str
    files: tuple[str, ...]
    changed: tuple[str, ...]


def write(out: Path) -> Written:
    """Write the report into a folder, which is made where it is missing."""
    if out.exists() and not out.is_dir():
        raise RefusedError(f"{out} is no folder", fix="name a folder, such as reports")
    files = report_files(data_folder())
    out.mkdir(parents=True, exist_ok=True)
    changed = []
    for name, data in files.items():
        path = out / name
        if not path.is_file() or path.read_bytes() != data:
            path.write_bytes(data)
            changed.append(name)
    return Written(str(out), tuple(files), tuple(changed))


def lines(written: Written) -> Iterable[str]:
    """Where to look."""
    for name in written.files:
        state = "written" if name in written.changed else "as it was"
        yield f"{Path(written.folder) / name}: {state}"
