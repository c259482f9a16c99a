"""What the fuzzer found stays fixed, and the fuzzer itself can find something."""

from pathlib import Path

import pytest

from tests.learn import fuzz

FOUND = sorted(fuzz.REDUCED.glob("*.jsonl"))


def test_a_second_of_mutations_breaks_nothing() -> None:
    assert fuzz.fuzz(1.0, seed=20261201) == 0


def test_a_reader_that_breaks_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks(content: bytes) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(fuzz, "check_reading", breaks)
    assert fuzz.fuzz(0.05, seed=1, finds=tmp_path) > 0
    assert list(tmp_path.glob("*.jsonl"))
    assert "ZeroDivisionError" in capsys.readouterr().out


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_was_found_stays_fixed(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    fuzz.check_reading(content)
    fuzz.check_importing(content, tmp_path)
