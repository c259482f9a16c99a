"""`imprint compat`: cells of the matrix, and what two releases answer differently."""

import argparse
import json
from pathlib import Path

import pytest

from imprint.base.envelope import envelope
from imprint.base.errors import ExitCode, RefusedError
from imprint.base.paths import Environment
from imprint.cli import cmd_compat
from imprint.cli._context import Context
from imprint.compat import Matrix, Reason, UnreadableMatrix
from imprint.compat.catalogue import catalogue
from imprint.compat.claim import ClaimFile
from imprint.compat.errors import UnknownClaim, UnknownRelease
from imprint.compat.inference import build_matrix
from imprint.compat.versions import Line
from tests.compat.support import CLAIM, LINUX, PROGRAM, TABLE, row, run

LINE = Line(("1.0.0", "1.0.1", "1.0.2", "1.0.3"))
KNOWN = catalogue([ClaimFile("area", "Area", (CLAIM, TABLE))])
MATRIX = build_matrix(
    PROGRAM,
    LINE,
    [
        run("1.0.0", [row("yes"), row({"a": "yes", "b": "no"}, TABLE.id)]),
        run("1.0.2", [row("yes"), row({"a": "yes", "b": "yes"}, TABLE.id)]),
    ],
)


@pytest.fixture
def compat(world: Environment, monkeypatch: pytest.MonkeyPatch):
    """Runs `imprint compat WORDS` on a small matrix; returns the result."""

    def compat(*words: str, matrix: Matrix | UnreadableMatrix = MATRIX):
        monkeypatch.setattr(cmd_compat, "shipped_matrix", lambda: matrix)
        monkeypatch.setattr(cmd_compat, "shipped_catalogue", lambda: KNOWN)
        parser = argparse.ArgumentParser()
        cmd_compat.configure(parser)
        platform = () if words[0] == "report" else ("--platform", LINUX)
        arguments = parser.parse_args([*words, *platform])
        return cmd_compat.run(arguments, Context(world, lambda _: None, is_terminal=False))

    return compat


def data(result) -> dict:
    return json.loads(envelope(result))["data"]


def test_a_cell_says_value_basis_tier_and_where_it_was_observed(compat) -> None:
    result = compat("show", CLAIM.id, "--version", "1.0.1")
    assert data(result)["cells"] == [
        {
            "claim": "area.question",
            "version": "1.0.1",
            "platform": LINUX,
            "value": "yes",
            "basis": "bracketed",
            "tier": "live-offline",
            "observed_in": ["1.0.0", "1.0.2"],
            "reason": None,
        }
    ]
    assert "  area.question  yes  [bracketed: 1.0.0, 1.0.2]" in cmd_compat.text(result)


def test_a_table_is_shown_whole_or_entry_by_entry(compat) -> None:
    (whole,) = data(compat("show", TABLE.id, "--version", "1.0.1"))["cells"]
    assert whole["value"] == {"a": "yes"}
    assert whole["basis"] == "bracketed"
    (entry,) = data(compat("show", f"{TABLE.id}[b]", "--version", "1.0.2"))["cells"]
    assert (entry["claim"], entry["value"], entry["basis"]) == ("area.table[b]", "yes", "observed")


def test_an_unknown_cell_has_no_value_and_says_why(compat) -> None:
    result = compat("show", "area.table[b]", "--version", "1.0.1")
    (cell,) = data(result)["cells"]
    assert (cell["value"], cell["basis"], cell["tier"]) == (None, "none", None)
    assert cell["reason"] == Reason.IN_DOUBT
    assert f"  area.table[b]  unknown: {Reason.IN_DOUBT.meaning}" in cmd_compat.text(result)


def test_without_a_version_a_claim_is_shown_for_all_and_the_rest_for_the_newest(compat) -> None:
    shown = data(compat("show", CLAIM.id))["cells"]
    assert [cell["version"] for cell in shown] == list(LINE.versions)
    everything = data(compat("show"))["cells"]
    assert [(cell["claim"], cell["version"]) for cell in everything] == [
        (CLAIM.id, "1.0.3"),
        (TABLE.id, "1.0.3"),
    ]
    assert len(data(compat("show", "area.*", "--version", "1.0.0"))["cells"]) == 2


def test_a_difference_is_between_two_known_answers(compat) -> None:
    result = compat("diff", "1.0.0", "1.0.2")
    found = data(result)
    assert [change["claim"] for change in found["changes"]] == ["area.table[b]"]
    assert found["unknown"] == 1
    assert list(cmd_compat.text(result)) == [
        "area.table",
        "  Which are so?",
        "    no -> yes: b",
        "",
    ]
    assert data(compat("diff", "1.0.0", "1.0.1"))["changes"] == []


def test_what_is_not_there_cannot_be_asked_for(compat) -> None:
    with pytest.raises(UnknownClaim) as claim:
        compat("show", "area.questoin")
    assert "did you mean area.question" in claim.value.fix
    for words in (("diff", "1.0.0", "1.0.9"), ("show", "--version", "1.0.9")):
        with pytest.raises(UnknownRelease) as release:
            compat(*words)
        assert release.value.fix == "the nearest listed: 1.0.3"
    assert release.value.exit_code is ExitCode.USAGE
    with pytest.raises(UnknownRelease, match="newest"):
        compat("show", "--version", "newest")


@pytest.mark.parametrize("text", ["area.table[z]", "area.question[a]", "area.*[z]", "["])
def test_an_entry_that_is_not_there_is_an_error(compat, text: str) -> None:
    with pytest.raises(UnknownClaim):
        compat("show", text)


def test_entries_are_asked_for_by_a_pattern_too(compat) -> None:
    found = data(compat("show", "area.*[[ab]]", "--version", "1.0.0"))["cells"]
    assert [cell["claim"] for cell in found] == ["area.table[a]", "area.table[b]"]


def test_the_history_of_a_claim_is_shown_in_stretches(compat) -> None:
    result = compat("show", "area.*")
    assert list(cmd_compat.text(result)) == [
        "area.question",
        "  Is it so?",
        "  (Imprint decides on it: do-it)",
        "  1.0.0 to 1.0.2  yes  [bracketed: 1.0.0, 1.0.2]",
        "  1.0.3           yes  [projected: 1.0.2]",
        "",
        "area.table",
        "  Which are so?",
        "  (Imprint decides on it: choose)",
        "  a",
        "    1.0.0 to 1.0.2  yes  [bracketed: 1.0.0, 1.0.2]",
        "    1.0.3           yes  [projected: 1.0.2]",
        "  b",
        "    1.0.0  no  [observed]",
        f"    1.0.1  unknown: {Reason.IN_DOUBT.meaning}",
        "    1.0.2  yes  [observed]",
        "    1.0.3  yes  [projected: 1.0.2]",
        "  c",
        "    not asked of any release",
    ]
    first = data(result)["spans"][0]
    assert (first["claim"], first["from"], first["to"]) == (CLAIM.id, "1.0.0", "1.0.2")
    assert first["observed_in"] == ["1.0.0", "1.0.2"]


def test_what_was_not_asked_is_named_after_what_was(compat) -> None:
    empty = build_matrix(PROGRAM, LINE, [run("1.0.3", [row("yes")])])
    lines = list(cmd_compat.text(compat("show", matrix=empty)))
    assert lines[1:] == [
        "  area.question  yes  [observed]",
        "  not asked: area.table",
        "",
    ]


def test_lines_fit_the_terminal(compat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for words in (["show"], ["show", "*"], ["diff", "1.0.0", "1.0.2"]):
        assert all(len(line) <= 60 for line in cmd_compat.text(compat(*words)))


def test_the_report_is_written_where_it_is_wanted(compat, tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    first = data(compat("report", "--out", str(out)))
    assert set(first["files"]) == {path.name for path in out.iterdir()} == set(first["changed"])
    assert data(compat("report", "--out", str(out)))["changed"] == []
    with pytest.raises(RefusedError):
        compat("report", "--out", str(out / "matrix.md"))


@pytest.mark.parametrize("words", [("show", CLAIM.id, "--version", "1.0.0"), ("diff", "1", "2")])
def test_an_unreadable_matrix_leaves_everything_unknown_and_is_no_success(compat, words) -> None:
    result = compat(*words, matrix=UnreadableMatrix("damaged"))
    assert result.exit_code is ExitCode.UNDETERMINED
    assert [error.code for error in result.errors] == ["unreadable-matrix"]
    assert all(cell["value"] is None for cell in data(result).get("cells", ()))


@pytest.mark.parametrize("words", [("--json", "show"), ("show", "--json")])
def test_json_may_stand_before_or_after_the_action(words: tuple[str, ...]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    cmd_compat.configure(parser)
    assert parser.parse_args(words).json is True
