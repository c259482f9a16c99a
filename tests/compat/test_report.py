"""The report: complete, the same for the same data, and honest about what is not known."""

import json
import re
import shutil
from pathlib import Path

import jsonschema
import msgspec
import pytest

from imprint.cli import maintain
from imprint.compat.catalogue import catalogue
from imprint.compat.claim import Claim, ClaimFile, Kind, Statement, Tier
from imprint.compat.evidence import Reason
from imprint.compat.inference import build_matrix
from imprint.compat.report import REPORTS, report_files
from imprint.compat.report.changes_page import NOTHING, changes_page
from imprint.compat.report.index_page import index_page
from imprint.compat.report.matrix_page import matrix_page
from imprint.compat.report.model import Report, report_on
from imprint.compat.report.published import published
from imprint.compat.report.seeds_page import seeds_page
from imprint.compat.report.trial import Verdict, disagreements, trials
from imprint.compat.values import Value
from imprint.compat.versions import Line
from tests.compat.support import CLAIM, LINUX, PROGRAM, TABLE, WINDOWS, row, run, runs

LINE = Line(("1.0.0", "1.0.1", "1.0.2", "1.0.3", "1.0.4"))
BLOCKED = Claim("area.blocked", "Never?", Kind.ENUM, (Tier.ACCOUNT,), ("a", "b"), blocked="no key")
SILENT = Claim("area.silent", "Asked by nobody?", Kind.ENUM, (Tier.MODEL,), ("a", "b"))


@pytest.fixture(scope="module")
def files(data: Path) -> dict[str, bytes]:
    """The report of this checkout's data."""
    return report_files(data)


def stated(says: str, source: str = "AH §1", entry: str = "") -> Statement:
    return Statement(source, says, entry)


def report(values: dict[str, Value | Reason], *statements: Statement) -> Report:
    """On one claim's answers by version."""
    claim = Claim(
        CLAIM.id, CLAIM.sentence, CLAIM.kind, CLAIM.tiers, CLAIM.values, statements=statements
    )
    return of([claim, SILENT, BLOCKED], runs(values))


def of(claims, observations) -> Report:
    placed = tuple(msgspec.structs.replace(claim, area="area") for claim in claims)
    known = catalogue([ClaimFile("area", "The area", placed)])
    return report_on(known, build_matrix(PROGRAM, LINE, observations), observations)


def text(page: bytes) -> str:
    return page.decode("utf-8")


# --- what is committed ---


def test_the_committed_report_is_what_the_data_give(data: Path, files: dict[str, bytes]) -> None:
    folder = data.parent / REPORTS
    for name, expected in files.items():
        there = (folder / name).read_bytes()
        assert there == expected, f"{name}: python -m imprint.cli.maintain derived"
    assert {path.name for path in folder.iterdir()} == set(files)


def test_every_link_of_the_committed_report_leads_somewhere(data: Path) -> None:
    folder = data.parent / REPORTS
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    anchors = {
        name: {
            *re.findall(r'<a id="([^"]+)"', page),
            *map(slug, re.findall("^## (.*)", page, re.MULTILINE)),
        }
        for name, page in pages.items()
    }
    for name, page in pages.items():
        for target in re.findall(r"\]\(([^)]+)\)", page):
            file, _, place = target.partition("#")
            assert (folder / (file or name)).exists(), target
            assert not place or place in anchors[file or name], f"{name}: {target}"


def slug(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def test_every_claim_has_one_place_in_the_matrix_page(data: Path, files: dict[str, bytes]) -> None:
    page = text(files["matrix.md"])
    placed = re.findall(r'<a id="([^"]+)"', page)
    assert len(placed) == len(set(placed))
    assert set((data.parent / "tests" / "compat" / "ids.txt").read_text("utf-8").split()) <= {
        *placed
    }


def test_tables_have_as_many_cells_in_each_row_as_heads(files: dict[str, bytes]) -> None:
    for name, page in files.items():
        width = 0
        for line in text(page).splitlines() if name.endswith(".md") else ():
            if not line.startswith("|"):
                width = 0
                continue
            cells = len(re.findall(r"(?<!\\)\|", line)) - 1
            width = width or cells
            assert cells == width, f"{name}: {line}"


def test_the_published_matrix_fits_its_schema(data: Path, files: dict[str, bytes]) -> None:
    schema = json.loads((data / "schema" / "report.json").read_bytes())
    jsonschema.Draft202012Validator(schema).validate(json.loads(files["matrix.json"]))


def test_the_maintainers_command_writes_matrix_schemas_and_report(
    data: Path, files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Path(shutil.copytree(data, tmp_path / "compat"))
    (copy / "matrix.json").unlink()
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(maintain, "data_folder", lambda: copy)
    assert maintain.main(["derived"]) == 0
    assert (copy / "matrix.json").read_bytes() == (data / "matrix.json").read_bytes()
    for name, expected in files.items():
        assert (tmp_path / REPORTS / name).read_bytes() == expected


def test_a_recorded_release_that_is_not_listed_is_left_out_and_named() -> None:
    found = report({"1.0.0": "yes", "9.9.9": "no"})
    page = text(matrix_page(found))
    assert "- Asked, and left out because npm lists them no longer: 9.9.9." in page
    assert found.asked == {LINUX: ("1.0.0",)}
    assert "9.9.9" not in text(changes_page(found))


# --- the matrix page ---


def test_a_history_names_every_stretch_with_its_mark() -> None:
    page = text(matrix_page(report({"1.0.0": "yes", "1.0.1": "yes", "1.0.3": "no"})))
    cell = "● 1.0.0 to 1.0.1: `yes`<br>? 1.0.2<br>● 1.0.3: `no`<br>○ 1.0.4: `no`"
    assert cell in page


def test_what_was_asked_in_vain_is_an_unknown_with_its_own_mark() -> None:
    values = {
        "1.0.0": Reason.MIXED,
        "1.0.1": "yes",
        "1.0.2": Reason.BLOCKED,
        "1.0.3": "yes",
        "1.0.4": Reason.INCONCLUSIVE,
    }
    page = text(matrix_page(report(values)))
    assert (
        "≠ 1.0.0<br>● 1.0.1: `yes`<br>✕ 1.0.2<br>● 1.0.3: `yes`<br>? 1.0.4: asked, proved nothing"
    ) in page


def test_nothing_is_said_of_releases_before_the_first_that_was_asked() -> None:
    page = text(matrix_page(report({"1.0.2": "yes", "1.0.4": "yes"})))
    assert "◐ 1.0.2 to 1.0.4: `yes`" in page
    assert not re.search(r"[?●◐] 1\.0\.[01]", page)


def test_entries_with_one_history_share_a_row() -> None:
    rows = [row({"a": "yes", "b": "yes", "c": "no"}, TABLE.id)]
    page = text(matrix_page(of([TABLE], [run("1.0.0", rows), run("1.0.1", rows)])))
    assert "| ↳ `a`, `b` | ● 1.0.0 to 1.0.1: `yes`<br>○ 1.0.2 to 1.0.4: `yes` |" in page
    assert "| ↳ `c` | ● 1.0.0 to 1.0.1: `no`" in page


def test_entries_that_differ_on_one_platform_only_have_rows_of_their_own() -> None:
    found = of(
        [TABLE],
        [
            run("1.0.0", [row({"a": "yes", "b": "yes"}, TABLE.id)]),
            run("1.0.0", [row({"a": "yes", "b": "no"}, TABLE.id)], WINDOWS),
        ],
    )
    page = text(matrix_page(found))
    assert f"| question | {LINUX} | {WINDOWS} |" in page
    assert "↳ `a`, `b`" not in page


def on_two_platforms(*, independent: bool = True) -> Report:
    """One claim asked on both, one on each alone, in two areas; the same everywhere, or not."""
    names = {"one.both": "one", "one.linux": "one", "two.linux": "two", "one.windows": "one"}
    claims = [
        msgspec.structs.replace(
            CLAIM,
            id=name,
            area=area,
            statements=(stated("yes"),),
            platform_independent=independent,
        )
        for name, area in names.items()
    ]
    known = catalogue(
        [
            ClaimFile(area, area.title(), tuple(one for one in claims if one.area == area))
            for area in ("one", "two")
        ]
    )
    here = [row("yes", name) for name in names if name != "one.windows"]
    there = [row("yes", name) for name in ("one.both", "one.windows")]
    found = [run("1.0.0", here), run("1.0.0", there, WINDOWS)]
    return report_on(known, build_matrix(PROGRAM, LINE, found), found)


@pytest.mark.parametrize(("independent", "elsewhere"), [(True, "◇"), (False, "not asked")])
def test_a_platform_where_a_claim_was_not_asked_says_nothing_of_its_own(
    *, independent: bool, elsewhere: str
) -> None:
    """Another platform's answer is taken only where the answer is the same everywhere."""
    page = text(matrix_page(on_two_platforms(independent=independent)))
    assert ("each platform for itself)" in page) is not independent
    own = "● 1.0.0: `yes`<br>○ 1.0.1 to 1.0.4: `yes`"
    cells = re.findall(r"`((?:one|two)\.\w+)`[^|]*\| (.*) \|", page)
    assert dict(cells) == {
        "one.both": f"{own} | {own}",
        "one.linux": f"{own} | {elsewhere}",
        "one.windows": f"{elsewhere} | {own}",
        "two.linux": own,
    }


def test_every_page_says_how_much_was_asked_on_which_platform() -> None:
    found = on_two_platforms()
    pages = [text(matrix_page(found)), text(index_page(found)), text(seeds_page(found))]
    assert f"- {WINDOWS}: 2 questions asked, of 1 of 5 listed releases: 1.0.0." in pages[0]
    assert f"1.0.0 on {LINUX} (3 questions); 1.0.0 on {WINDOWS} (2 questions)." in pages[1]
    assert f"Questions asked: 3 on {LINUX}, 2 on {WINDOWS}." in pages[2]


def test_a_statement_is_judged_where_its_claim_was_asked() -> None:
    platforms = {
        trial.claim.id: {one.platform for one in trial.history}
        for trial in trials(on_two_platforms())
    }
    assert platforms == {
        "one.both": {LINUX, WINDOWS},
        "one.linux": {LINUX},
        "one.windows": {WINDOWS},
        "two.linux": {LINUX},
    }


def test_claims_that_nobody_asked_are_listed_and_blocked_ones_say_why() -> None:
    page = text(matrix_page(report({"1.0.0": "yes"})))
    assert "Asked by nobody? `area.silent`." in page
    assert "✕ Never? `area.blocked`. Blocked: no key." in page
    assert "- 3 questions, 1 of them answered." in page


def test_a_sentence_cannot_break_its_table() -> None:
    claim = Claim(CLAIM.id, "One | two?", Kind.PATTERN, (Tier.LOADER,))
    page = text(matrix_page(of([claim], [run("1.0.4", [row("a|b`c", claim.id)])])))
    assert "One \\| two?" in page
    assert "● 1.0.4: ``a\\|b`c``" in page


# --- the changes page ---


def test_changes_are_between_releases_that_were_asked_newest_first() -> None:
    page = text(changes_page(report({"1.0.0": "yes", "1.0.2": "no", "1.0.3": "no"})))
    newest, older = page.split("## ")[1:]
    assert newest.startswith(f"1.0.3 ({LINUX})")
    assert "Against 1.0.2, the release before it." in newest
    assert NOTHING in newest
    assert "Against 1.0.0; between them, not asked: 1.0.1." in older
    assert "| `yes` | `no` |" in older


def test_a_change_says_what_imprint_does_otherwise() -> None:
    found = of([CLAIM], runs({"1.0.0": "no", "1.0.1": "yes"}))
    assert "| `no` | `yes` | `do-it`: `leave`, now `do` |" in text(changes_page(found))


def test_an_unknown_is_no_change_and_is_named_with_its_reason() -> None:
    page = text(changes_page(report({"1.0.0": "yes", "1.0.1": Reason.BLOCKED})))
    assert NOTHING in page
    link = f"[`{CLAIM.id}`](matrix.md#{CLAIM.id})"
    assert f"Asked without an answer: {link} (does not start)." in page


def test_of_a_list_only_what_came_and_went_is_shown() -> None:
    claim = Claim(CLAIM.id, "Which?", Kind.LIST, (Tier.STATIC,))
    found = of(
        [claim],
        [run("1.0.0", [row(["a", "b"], claim.id)]), run("1.0.1", [row(["b", "c", "d"], claim.id)])],
    )
    assert "| `a` (of 2) | `c`, `d` (of 3) |" in text(changes_page(found))


# --- the seeds on trial ---


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ({"1.0.0": "yes", "1.0.3": "yes"}, Verdict.TRUE),
        ({"1.0.0": "no"}, Verdict.FALSE),
        ({"1.0.0": "no", "1.0.3": "yes"}, Verdict.DEPENDS),
        ({"1.0.0": Reason.INCONCLUSIVE}, Verdict.UNDECIDED),
        ({"1.0.0": Reason.MIXED, "1.0.1": "yes"}, Verdict.TRUE),
        ({}, Verdict.UNDECIDED),
    ],
)
def test_a_statement_is_judged_by_every_release_that_answered(values, verdict) -> None:
    (trial,) = trials(report(values, stated("yes")))
    assert trial.verdict is verdict
    assert bool(trial.why_undecided) is (verdict is Verdict.UNDECIDED)


def test_a_statement_names_the_releases_for_which_it_is_true_false_and_unknown() -> None:
    page = text(seeds_page(report({"1.0.0": "no", "1.0.2": "yes"}, stated("yes"))))
    assert "| ● 1.0.2<br>○ 1.0.3 to 1.0.4 | ● 1.0.0 | ? 1.0.1 |" in page


def test_what_is_undecided_says_why() -> None:
    found = of([msgspec.structs.replace(BLOCKED, statements=(stated("a"),))], [])
    page = text(seeds_page(found))
    assert "it says `a` (blocked: no key)" in page


def test_documents_that_contradict_each_other_are_put_side_by_side() -> None:
    found = report({"1.0.0": "no"}, stated("yes"), stated("no", "DC"), stated("no", "ADR"))
    (group,) = disagreements(trials(found))
    assert [one.statement.source for one in group] == ["AH §1", "DC", "ADR"]
    page = text(seeds_page(found))
    assert "AH §1: `yes`<br>DC: `no`<br>ADR: `no`" in page
    assert not disagreements(trials(report({}, stated("no"), stated("no", "DC"))))


def test_a_verdict_reaches_programs_too() -> None:
    found = json.loads(published(report({"1.0.0": "no"}, stated("yes"))))
    (claim, *_) = found["areas"][0]["claims"]
    assert claim["statements"] == [
        {"source": "AH §1", "says": "yes", "verdict": "false"},
    ]
    assert claim["answers"][""][LINUX]["spans"][0]["value"] == "no"


def test_a_report_on_nothing_says_that_nothing_is_known() -> None:
    nothing = of([CLAIM, SILENT, BLOCKED], [])
    assert "- 3 questions, 0 of them answered." in text(matrix_page(nothing))
    assert "##" not in text(changes_page(nothing)).replace("# What each", "")
    assert "Releases asked: none." in text(index_page(nothing))
