"""The data is found from a wheel, a zipped wheel, an sdist, an editable install and a checkout."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]

_BUILD = "import hatchling.build as b, sys; b.build_wheel(sys.argv[1]); b.build_sdist(sys.argv[1])"
_EDITABLE = "import hatchling.build as b, sys; b.build_editable(sys.argv[1])"
_ASK = (
    "from imprint.compat import *\n"
    "folder = data_folder()\n"
    "matrix = load_matrix(folder)\n"
    "print(folder, len(load_catalogue(folder).claims), len(matrix.releases), sep='|')\n"
)


def python(*arguments: str, path: Path | None = None, cwd: Path = CHECKOUT) -> str:
    """What an interpreter prints that finds `path` before anything installed."""
    env = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    if path is not None:
        env["PYTHONPATH"] = str(path)
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, env=env, cwd=cwd, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and an sdist of this checkout, packed and unpacked."""
    folder = tmp_path_factory.mktemp("built")
    python("-c", _BUILD, str(folder))
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        wheel.extractall(folder / "wheel")
    with tarfile.open(next(folder.glob("*.tar.gz"))) as sdist:
        sdist.extractall(folder / "sdist", filter="data")
    return folder


@pytest.mark.parametrize("kind", ["wheel", "zipped", "sdist"])
def test_the_data_comes_with_every_kind_of_package(built: Path, kind: str, data: Path) -> None:
    root = {
        "wheel": lambda: built / "wheel",
        "zipped": lambda: next(built.glob("*.whl")),
        "sdist": lambda: next((built / "sdist").iterdir()),
    }[kind]()
    folder, claims, releases = python("-c", _ASK, path=root, cwd=built).split("|")
    inside = "compat" if kind == "sdist" else "imprint/_data/compat"
    assert Path(folder) == root / inside
    here = python("-c", _ASK, path=CHECKOUT, cwd=built).split("|")
    assert Path(here[0]) == data
    assert [claims, releases] == here[1:]


def test_a_wheel_puts_nothing_beside_the_package(built: Path) -> None:
    names = {path.name for path in (built / "wheel").iterdir()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"imprint"}


def test_an_editable_install_reads_the_checkout_and_copies_no_data(tmp_path: Path) -> None:
    python("-c", _EDITABLE, str(tmp_path))
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        packed = [name for name in wheel.namelist() if ".dist-info/" not in name]
        assert [Path(name).suffix for name in packed] == [".pth"]
        assert Path(wheel.read(packed[0]).decode().strip()) == CHECKOUT
