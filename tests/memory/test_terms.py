"""Terms: each spelling of a name finds the others, in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.memory.stems import misspellings, stem
from imprint.memory.terms import TERM_CHARACTERS, clean, terms_of, units_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("get_user_id", {"get", "user", "id", "getuserid"}),
        ("getUserId()", {"get", "user", "id", "getuserid"}),
        ("HTTPServer", {"http", "server", "httpserver"}),
        ("TS2345:", {"ts", "2345", "ts2345"}),
        ("ORA-00942", {"ora", "00942", "ora00942"}),
        (
            "/src/session_store.py",
            {"src", "session", "store", "py", "sessionstore", "sessionstorepy"},
        ),
        (r"C:\Users\me", {"c", "users", "me"}),
        ("1.0.40", {"1", "0", "40", "1_0_40"}),
        ("don't", {"dont"}),
        ("user's", {"user"}),
        ("Café", {"cafe"}),
        ("\uff28\uff34\uff34\uff30", {"http"}),
        ("数据库", {"数", "据", "库", "数据", "据库"}),
        ("猫", {"猫"}),
        ("", set()),
        ('"( * ^', set()),
    ],
)  # fmt: skip
def test_a_text_has_these_terms(text, expected):
    assert terms_of(text) == expected


def test_a_random_run_is_one_term_and_never_too_long():
    assert terms_of("9f86d081884c7d659a2feaa0c55ad015") == {"9f86d081884c7d659a2feaa0c55ad015"}
    assert all(len(term) <= TERM_CHARACTERS for term in terms_of("x" * 5000 + " " + "aB1" * 2000))


@given(st.text(max_size=200))
def test_query_and_index_agree_on_every_text(text):
    terms = terms_of(clean(text))
    for unit in units_of(clean(text)):
        assert terms.issuperset(unit.terms)
    assert not any(term.startswith("_") or not term or " " in term for term in terms)


def test_surrogates_become_valid_text():
    assert clean("a\ud83d b") == "a\ufffd b"
    assert clean("\ud83d\ude00") == "\U0001f600"
    assert clean("a\0b") == "ab"


@pytest.mark.parametrize(
    "words",
    [
        ("fail", "fails", "failed", "failing"),
        ("retry", "retries", "retried", "retrying"),
        ("run", "runs", "running"),
        ("cache", "caches", "cached", "caching"),
        ("migrate", "migrates", "migrated", "migration", "migrations"),
        ("address", "addresses"),
    ],
)
def test_forms_of_a_word_share_a_stem(words):
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize(
    "pair", [("status", "stat"), ("class", "clas"), ("string", "str"), ("red", "r")]
)
def test_other_words_do_not(pair):
    assert stem(pair[0]) != stem(pair[1])


def test_a_typing_error_is_one_letter_away():
    near = misspellings("databse")
    assert "database" in near
    assert "databases" not in near
    assert "house" not in misspellings("horse")
    assert misspellings("port") == set()
