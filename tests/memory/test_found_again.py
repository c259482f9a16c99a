"""What was said is found again, what was not said is not: measured on the labelled set."""

import pytest

from imprint.memory import Memory
from tests.memory.found_again import fill, labelled, measure

NEVER_SAID = (
    "walrus migration",
    "kubernetes operator",
    "purple elephant",
    "tax return deadline",
    "horse",
    "mango",
    "star",
    "neural network training",
    "launch code 7731",
    "birthday party of my sister",
    "set_admin_flag",
    "FooBarBaz",
    "/opt/nothing/here.py",
    "E9999",
    "0xdeadbeef",
    "赤い象",
    "紫色大象",
    "天气预报",
    "보라색 코끼리",
    "what did we say about the weather",
    "zzyzx OR checkout NOT invoice quux",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    with Memory.open(tmp_path_factory.mktemp("found") / "memory.db") as store:
        assert fill(store) >= 300
        yield store


def test_the_set_is_large_and_mixed_enough():
    queries = [query for item in labelled() for query in item.queries]
    assert len(queries) >= 60
    assert sum(query.startswith("~") for query in queries) >= 10
    assert sum(any(ord(c) > 0x2E00 for c in query) for query in queries) >= 20


def test_what_was_said_is_found_among_the_first_five(memory):
    quality = measure(memory)
    assert quality["all"].recall_at_5 >= 0.97, quality["all"].missed
    assert quality["all"].mrr >= 0.95
    assert quality["identifier"].recall_at_5 >= 0.98, quality["identifier"].missed
    assert quality["cjk"].recall_at_5 == 1.0, quality["cjk"].missed
    assert quality["typing error"].recall_at_5 == 1.0, quality["typing error"].missed
    assert quality["words"].recall_at_5 >= 0.95, quality["words"].missed


def test_stemming_can_be_left_out_and_costs_little(memory):
    quality = measure(memory, stemming=False)
    assert quality["all"].recall_at_5 >= 0.96
    assert quality["all"].mrr >= 0.94


@pytest.mark.parametrize("query", NEVER_SAID)
def test_what_was_never_said_finds_nothing(memory, query):
    assert memory.search(query) == []
