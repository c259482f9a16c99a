"""Search: filters, order, snippets; a query is data whatever it holds."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from imprint.base.errors import UsageError
from imprint.memory import ALL_KINDS, Memory, SessionMeta, Turn, WorkRecord

SHOP = SessionMeta("conversation/s1", "shop", "/src/shop", ("/src/shop",), "2026-05-01T08:00:00Z")
GAME = SessionMeta("conversation/g1", "game", "/src/game", ("/src/game",), "2026-05-02T08:00:00Z")


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "memory.db") as store:
        with store.importing(SHOP) as session:
            session.add_turn(
                Turn("1", "user", "the payment fails at night", "2026-05-01T08:00:00Z", 1)
            )
            session.add_turn(
                Turn("2", "assistant", "the payment retries now", "2026-05-01T08:01:00Z", 2)
            )
            session.add_turn(
                Turn("3", "summary", "payment was repaired", "2026-05-01T09:00:00Z", 3)
            )
            session.add_work(
                WorkRecord("4", "write", "src/payment.py", "", "2026-05-01T08:02:00Z", 4)
            )
            session.add_work(
                WorkRecord("5", "command", "pytest payment", "2 failed", "2026-05-01T08:03:00Z", 5)
            )
        with store.importing(GAME) as session:
            session.add_turn(
                Turn("1", "user", "payment in the item shop", "2026-05-02T08:00:00Z", 1)
            )
        store.remember("payment provider is Acme")
        yield store


def texts(hits):
    return {hit.text for hit in hits}


def test_all_words_must_be_there(memory):
    assert texts(memory.search("payment night")) == {"the payment fails at night"}
    assert memory.search("payment unicorn") == []


def test_work_is_found_when_asked_for_only(memory):
    assert {hit.role for hit in memory.search("payment")} == {
        "user",
        "assistant",
        "summary",
        "note",
    }
    files = memory.search("payment", kinds=("read", "write", "modified"))
    assert [(hit.role, hit.text.strip()) for hit in files] == [("write", "src/payment.py")]
    everything = memory.search("payment", kinds=ALL_KINDS)
    assert {"write", "command", "note", "user"} <= {hit.role for hit in everything}
    assert memory.search("failed", kinds=("command",))[0].text == "pytest payment\n2 failed"


def test_filters_by_project_role_and_time(memory):
    assert {hit.project for hit in memory.search("payment", project="shop")} == {"shop"}
    assert texts(memory.search("payment", project="/src/game")) == {"payment in the item shop"}
    assert memory.search("payment", project="nowhere") == []
    assert {hit.role for hit in memory.search("payment", role="user")} == {"user"}
    late = memory.search("payment", since="2026-05-02", role="user")
    assert texts(late) == {"payment in the item shop"}
    early = memory.search("payment", until="2026-05-01T08:00:30Z")
    assert texts(early) == {"the payment fails at night"}


def test_a_time_that_is_none_is_a_usage_error(memory):
    with pytest.raises(UsageError, match="yesterday"):
        memory.search("payment", since="yesterday")


def test_the_current_project_comes_first(memory):
    for place in ("shop", "/src/shop", "/src/shop/deeper"):
        assert memory.search("payment", role="user", prefer=place)[0].project == "shop"
    assert memory.search("payment", role="user", prefer="/src/game")[0].project == "game"


def test_of_two_equal_texts_in_a_session_the_newer_wins_and_copies_are_shown_once(memory):
    for key in ("conversation/copy1", "conversation/copy2"):
        with memory.importing(SessionMeta(key, "shop", "/src/shop")) as session:
            session.add_turn(
                Turn("1", "user", "the  payment fails at night", "2026-05-03T08:00:00Z")
            )
    hits = memory.search("payment night")
    assert len(hits) == 1
    assert hits[0].session == "conversation/copy2"


def test_limit_is_kept(memory):
    assert len(memory.search("payment", limit=2)) == 2
    assert memory.search("payment", limit=0) == []


def test_the_snippet_shows_the_place_in_one_line(memory):
    long = "words before\n" * 200 + "the needle is here\n" + "words after\n" * 200
    with memory.importing(SHOP) as session:
        session.add_turn(Turn("9", "user", long))
    snippet = memory.search("needle")[0].snippet
    assert "needle" in snippet
    assert "\n" not in snippet
    assert len(snippet) < 300
    assert snippet.startswith("…")
    assert snippet.endswith("…")


def test_a_word_beyond_what_is_ranked_is_found_all_the_same(memory):
    with memory.importing(SHOP) as session:
        session.add_turn(Turn("10", "user", "filler " * 30_000 + "haystack"))
    assert len(memory.search("haystack")) == 1


QUERIES = (
    '"', "'", "payment AND", "NOT payment", "OR", "AND NOT OR", "payment*", "^payment", "(payment",
    "kind:user", "payment NEAR(night)", '"payment" "night', "{payment}", "-payment", "+payment",
    "_talk", "_kuser", "_p1", "a" * 10_000, "payment " * 3000, "\0", "\ud83d", "%",
    "payment; DROP TABLE entry",
)  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_operators_and_quotes_are_data(memory, query):
    memory.search(query, kinds=ALL_KINDS)
    assert len(memory.search("payment")) == 5


def test_filter_terms_cannot_be_asked_for(memory):
    assert memory.search("_talk") == []
    assert memory.search("_kuser") == []


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=2 * settings.default.max_examples,
)
@given(st.text(max_size=80))
def test_any_query_is_answered(memory, query):
    for hit in memory.search(query):
        assert hit.score > 0
