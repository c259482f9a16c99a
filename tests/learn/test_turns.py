"""ADR 0057, "Parsing", to the letter: what is a turn, and with which words."""

import itertools

import pytest

from imprint.memory import Turn
from imprint.memory.digest import DIGEST_MARKER
from tests.learn.support import Home, Transcript

pytestmark = pytest.mark.usefixtures("here_and_ahead")


def said(home: Home, transcript: Transcript) -> list[str]:
    """What is learned of a transcript."""
    home.put("s", transcript)
    home.learn()
    return home.texts("s")


def test_typed_prompts_and_the_main_agents_answers_are_learned(home: Home) -> None:
    transcript = Transcript().start().turn("why?", "because").turn("and then?", "then this")
    assert said(home, transcript) == ["why?", "because", "and then?", "then this"]
    detail = home.session("s")
    assert detail is not None
    assert [turn.role for turn in detail.turns] == ["user", "assistant"] * 2


@pytest.mark.parametrize(
    "secret",
    ["MODEL-ONLY", "REASONING", "ENCRYPTED", "TOOL-OUTPUT", "HOOK-INPUT", "SYSTEM", "SUB", "INFO"],
)
def test_nothing_that_nobody_said_is_learned(home: Home, secret: str) -> None:
    transcript = (
        Transcript()
        .start()
        .event("system.message", {"role": "system", "content": "SYSTEM"})
        .event("session.info", {"infoType": "x", "message": "INFO"})
        .turn("asked", "answered")
        .tool("view", {"path": "/a"})
        .hook()
        .event("subagent.completed", {"agentName": "SUB"})
        .event("session.task_complete", {"summary": "SUB"})
    )
    assert said(home, transcript) == ["asked", "answered"]
    assert home.memory.search(secret) == []


@pytest.mark.parametrize(
    "source",
    ["skill-pdf", "agent-7e4c7f50", "system", "command-review", "autopilot", "something-new"],
)
def test_a_prompt_from_another_source_is_not_the_users(home: Home, source: str) -> None:
    transcript = Transcript().start().turn("typed", "yes").user("injected", source=source)
    assert said(home, transcript) == ["typed", "yes"]


@pytest.mark.parametrize("source", ["user", "", None])
def test_a_prompt_whose_source_is_absent_or_user_is_the_users(
    home: Home, source: str | None
) -> None:
    assert said(home, Transcript().start().user("typed", source=source)) == ["typed"]


def test_a_prompt_with_an_agent_is_not_the_users(home: Home) -> None:
    transcript = Transcript().start().user("mine").user("the agent's", agent="a1")
    assert said(home, transcript) == ["mine"]


def test_a_marked_continuation_of_autopilot_is_left_out(home: Home) -> None:
    transcript = Transcript().start().user("go").user("Go on!", isAutopilotContinuation=True)
    assert said(home, transcript) == ["go"]


def test_an_unmarked_continuation_of_early_releases_is_left_out(home: Home) -> None:
    transcript = Transcript().start().turn("go", "step one").user("").answer("step two")
    assert said(home, transcript) == ["go", "step one", "step two"]


@pytest.mark.parametrize("delivery", ["idle", "steering", "queued"])
def test_a_prompt_is_the_users_however_it_was_delivered(home: Home, delivery: str) -> None:
    transcript = Transcript().start().turn("first", "yes")
    data = {"content": "and also this", "delivery": delivery, "parentAgentTaskId": "task"}
    transcript.event("user.message", data)
    assert said(home, transcript) == ["first", "yes", "and also this"]


def test_an_answer_of_a_subagent_is_left_out(home: Home) -> None:
    transcript = Transcript().start().turn("go", "done").answer("sub", agent="a1")
    assert said(home, transcript) == ["go", "done"]


def test_an_answer_inside_a_tool_call_is_left_out(home: Home) -> None:
    early = {"parentToolCallId": "call_1"}
    transcript = Transcript().start().turn("go", "done").answer("sub", **early)
    transcript.user("do it", **early)
    assert said(home, transcript) == ["go", "done"]


def test_an_answer_of_tool_requests_alone_is_no_turn(home: Home) -> None:
    requests = [{"toolCallId": "c", "name": "bash"}]
    transcript = Transcript().start().user("go").answer("", toolRequests=requests).answer(" \n")
    assert said(home, transcript) == ["go"]


def test_the_summary_of_a_compaction_is_marked_as_such(home: Home) -> None:
    transcript = Transcript().start().turn("go", "done")
    transcript.event("session.compaction_complete", {"success": True, "summaryContent": "so far"})
    transcript.event("session.compaction_complete", {"success": False, "summaryContent": "none"})
    home.put("s", transcript)
    home.learn()
    detail = home.session("s")
    assert detail is not None
    assert [(turn.role, turn.text) for turn in detail.turns][2:] == [("summary", "so far")]


def test_what_imprint_put_into_a_prompt_is_cut_off(home: Home) -> None:
    digest = f"{DIGEST_MARKER}\nasked: something of last week"
    transcript = Transcript().start().user(f"go on\n\n{digest}").user(digest).answer(digest)
    assert said(home, transcript) == ["go on"]


def test_what_imprint_gave_back_is_not_learned_again_over_three_sessions(home: Home) -> None:
    fact = "the staging database is called heron"
    given = ""
    for number in range(3):
        name = f"s{number}"
        transcript = Transcript(name).start()
        context = f"{DIGEST_MARKER}\n> asked: {fact}" if number else ""
        transcript.hook("sessionStart", output={"additionalContext": context})
        if context:
            transcript.user(context, source="system")
        data = {"content": f"prompt {number}", "transformedContent": f"{context}\nprompt {number}"}
        transcript.event("user.message", data)
        if number:
            transcript.tool(
                "imprint-recall", {"query": "db"}, mcpServerName="imprint", result=given
            )
            transcript.tool(
                "imprint-recall",
                {"query": "db"},
                mcpServerName="imprint",
                result=given,
                success=False,
            )
        transcript.answer(fact if not number else f"answer {number}")
        home.put(name, transcript)
        home.learn()
        given = "\n".join(hit.text for hit in home.memory.search("heron"))
    found = home.memory.search("heron", kinds=("user", "assistant", "failure", "command", "read"))
    assert [hit.text for hit in found] == [fact]
    assert home.texts("s2") == ["prompt 2", "answer 2"]
    assert home.work("s1") == []


ANSWER = ("Part one.", "Part two.", "Part three.")


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_an_answer_in_chunks_is_one_turn_in_any_order(
    home: Home, order: tuple[int, int, int]
) -> None:
    transcript = Transcript().start().user("go")
    for index in order:
        transcript.answer(ANSWER[index], apiCallId="call", chunkIndex=index, chunkCount=3)
    transcript.user("next")
    assert said(home, transcript) == ["go", "\n\n".join(ANSWER), "next"]


def test_an_answer_of_which_a_chunk_is_missing_is_one_turn(home: Home) -> None:
    transcript = Transcript().start().user("go")
    for index in (0, 2):
        transcript.answer(ANSWER[index], apiCallId="call", chunkIndex=index, chunkCount=3)
    assert said(home, transcript) == ["go", "Part one.\n\nPart three."]


def test_a_chunk_without_words_belongs_to_its_answer(home: Home) -> None:
    transcript = Transcript().start().user("go")
    transcript.answer("One.", apiCallId="call", chunkIndex=0, chunkCount=3)
    transcript.answer("", apiCallId="call", chunkIndex=1, chunkCount=3)
    transcript.answer("Three.", apiCallId="call", chunkIndex=2, chunkCount=3)
    assert said(home, transcript.user("next")) == ["go", "One.\n\nThree.", "next"]


def test_chunks_that_come_after_an_import_complete_the_same_turn(home: Home) -> None:
    transcript = Transcript().start().user("go")
    transcript.answer(ANSWER[1], apiCallId="call", chunkIndex=1, chunkCount=3)
    assert said(home, transcript) == ["go", "Part two."]
    transcript.answer(ANSWER[0], apiCallId="call", chunkIndex=0, chunkCount=3)
    transcript.answer(ANSWER[2], apiCallId="call", chunkIndex=2, chunkCount=3)
    assert said(home, transcript) == ["go", "\n\n".join(ANSWER)]


def test_two_answers_with_the_same_call_id_stay_two(home: Home) -> None:
    transcript = Transcript().start()
    for number in range(2):
        transcript.user(f"q{number}")
        for index in range(2):
            transcript.answer(f"{number}{index}", apiCallId="0", chunkIndex=index, chunkCount=2)
    assert said(home, transcript) == ["q0", "00\n\n01", "q1", "10\n\n11"]


def test_answers_without_chunks_that_share_a_call_id_stay_apart(home: Home) -> None:
    transcript = Transcript().start().user("go")
    transcript.answer("one", apiCallId="0").answer("two", apiCallId="0")
    assert said(home, transcript) == ["go", "one", "two"]


def test_turns_keep_the_order_time_and_id_of_their_events(home: Home) -> None:
    transcript = Transcript().start().turn("why?", "because")
    home.put("s", transcript)
    home.learn()
    detail = home.session("s")
    assert detail is not None
    [first, second] = detail.turns
    assert isinstance(first, Turn)
    assert first.event_id == transcript.ids[1]
    assert first.timestamp == "2026-10-01T09:00:02.000Z"
    assert first.ordinal == len(transcript.lines[0])
    assert second.ordinal > first.ordinal


def test_lone_surrogates_are_stored_as_valid_text(home: Home) -> None:
    data = Transcript().start().user("TEXT").bytes.replace(b'"TEXT"', b'"odd \\ud83d end"')
    home.put("s", data)
    home.learn()
    [text] = home.texts("s")
    assert text.encode("utf-8").decode("utf-8") == "odd \ufffd end"
