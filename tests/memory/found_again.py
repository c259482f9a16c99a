"""The labelled set: turns as people and Copilot write them, and queries that must find them.

Read from `data/found_again.tsv`; talk about similar things is made around it, so that finding
needs more than the one text that has a word at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from imprint.memory import Memory, SessionMeta, Turn

DATA = Path(__file__).parent / "data"

_PARTS = (
    "checkout", "invoice", "texture loader", "Kafka producer", "readiness probe", "settings screen",
    "database pool", "release workflow", "shader compiler", "customer import", "push service",
    "semantic version parser", "coupon form", "audio mixer", "warehouse export", "editor window",
)  # fmt: skip
_TALK = (
    "Please add a test for the {0} that covers the empty case.",
    "The {0} is slow on my machine, where does the time go?",
    "I renamed a few variables in the {0}; behaviour is unchanged.",
    "Reviewed the {0}: two small remarks, otherwise it looks good.",
    "The {0} now logs how long a request takes.",
    "Can you explain how the {0} works in three sentences?",
    "I moved the {0} into its own module and updated the imports.",
    "The documentation of the {0} was out of date; I rewrote the overview.",
    "Let's postpone the {0} until the next release.",
    "The tests of the {0} pass on Linux and macOS, Windows is still running.",
    "{0}: the error message should say what to do.",
    "What happens in the {0} when the connection is lost?",
    "Cleaned up: the {0} no longer keeps a global cache.",
)
_CJK_PARTS = ("登录页面", "订单服务", "ログ画面", "検索機能", "알림 서비스", "결제 화면")
_CJK_TALK = (
    "请给{0}补充测试",
    "{0}のテストを追加してください",
    "{0}의 테스트를 추가해 주세요",
    "{0}: 性能不好",
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A turn with the queries that must find it."""

    turn: Turn
    project: str
    queries: tuple[str, ...]


def labelled() -> list[Labelled]:
    """The labelled turns."""
    lines = (DATA / "found_again.tsv").read_text("utf-8").splitlines()
    found = []
    for number, line in enumerate(line for line in lines if not line.startswith("#")):
        role, project, text, queries = line.split("\t")
        stamp = f"2026-{number % 6 + 1:02d}-{number % 27 + 1:02d}T09:{number % 60:02d}:00Z"
        turn = Turn(f"labelled-{number}", role, text, stamp, number)
        found.append(Labelled(turn, project, tuple(queries.split(" | "))))
    return found


def surroundings() -> Iterator[Turn]:
    """Talk that nobody looks for."""
    texts = [talk.format(part) for part, talk in product(_PARTS, _TALK)]
    texts += [talk.format(part) for part, talk in product(_CJK_PARTS, _CJK_TALK)]
    for number, text in enumerate(texts):
        stamp = f"2026-{number % 7 + 1:02d}-{number % 28 + 1:02d}T15:{number % 60:02d}:00Z"
        yield Turn(f"other-{number}", "user" if number % 2 else "assistant", text, stamp, number)


def fill(memory: Memory) -> int:
    """Learn it all; return how many turns there are."""
    turns = 0
    everything = labelled()
    for project in sorted({item.project for item in everything}):
        meta = SessionMeta(f"conversation/{project}", project, f"/src/{project}")
        with memory.importing(meta) as session:
            for item in everything:
                if item.project == project:
                    turns += session.add_turn(item.turn)
    for start in range(8):
        meta = SessionMeta(f"conversation/other-{start}", f"other-{start}", f"/src/other-{start}")
        with memory.importing(meta) as session:
            for number, turn in enumerate(surroundings()):
                if number % 8 == start:
                    turns += session.add_turn(turn)
    return turns


@dataclass(frozen=True, slots=True)
class Quality:
    """How well a set of queries finds: the part found among the first five, and the mean
    reciprocal rank among the first ten; and the queries that were not found among five.
    """

    queries: int
    recall_at_5: float
    mrr: float
    missed: tuple[str, ...]


def measure(memory: Memory, *, stemming: bool = True) -> dict[str, Quality]:
    """The quality per kind of query, and of `all`."""
    ranks: dict[str, list[tuple[str, int]]] = {"all": []}
    for item in labelled():
        for written in item.queries:
            query = written.removeprefix("~")
            hits = memory.search(query, stemming=stemming)
            texts = [hit.text for hit in hits]
            rank = texts.index(item.turn.text) + 1 if item.turn.text in texts else 0
            for kind in ("all", kind_of(written)):
                ranks.setdefault(kind, []).append((query, rank))
    return {kind: _quality(found) for kind, found in ranks.items()}


def kind_of(query: str) -> str:
    """The kind of a labelled query."""
    if query.startswith("~"):
        return "typing error"
    if not query.isascii() and any(ord(character) > 0x1100 for character in query):
        return "cjk"
    if any(c.isdigit() or c in "_/.:-" for c in query) or query != query.lower():
        return "identifier"
    return "words"


def _quality(ranks: list[tuple[str, int]]) -> Quality:
    return Quality(
        queries=len(ranks),
        recall_at_5=sum(1 <= rank <= 5 for _, rank in ranks) / len(ranks),
        mrr=sum(1 / rank for _, rank in ranks if rank) / len(ranks),
        missed=tuple(query for query, rank in ranks if not 1 <= rank <= 5),
    )
