"""Which turn answers which request."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.sandbox._matching import AnsweredBy, ScriptReply, reply_to
from imprint.sandbox._wire import Answer, ChatRequest
from imprint.sandbox.script import SHELL, CallTool, CallTools, Say, Script, ToolName, tool_ending

PROMPT = "Remember the heron."
SHELL_TURN = CallTool(SHELL, {"command": "true"})
SCRIPT = Script(PROMPT, (SHELL_TURN, CallTool("bash", {"command": "false"}), Say("Done.")))

Message = dict[str, object]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(answer: Answer) -> Message:
    calls = [{"id": call.id, "type": "function"} for call in answer.calls]
    return {"role": "assistant", "content": answer.text or None, "tool_calls": calls}


def ask(
    *messages: Message, scripts: tuple[Script, ...] = (SCRIPT,), tools: tuple[str, ...] = ("bash",)
) -> ScriptReply:
    offered = [{"type": "function", "function": {"name": name}} for name in tools]
    body = {"messages": messages, "tools": offered}
    return reply_to(msgspec.convert(body, ChatRequest), scripts)


def summary_request() -> Message:
    return user("Please create a detailed summary of the conversation so far.")


def test_the_first_request_with_the_prompt_is_answered_by_the_first_turn():
    reply = ask({"role": "system", "content": "Be nice."}, user(f"<now>\n\n{PROMPT}"))
    assert (reply.answered_by, reply.script, reply.turn) == (AnsweredBy.TURN, 0, 0)
    assert reply.answer.calls[0].name == "bash"
    assert msgspec.json.decode(reply.answer.calls[0].arguments) == {"command": "true"}


def test_a_repeated_request_gets_the_same_answer():
    assert ask(user(PROMPT)) == ask(user(PROMPT))


def test_each_message_of_the_model_moves_the_script_on():
    said = assistant(ask(user(PROMPT)).answer)
    reply = ask(user(PROMPT), said, {"role": "tool", "content": "ok"})
    assert reply.turn == 1


def test_a_prompt_in_parts_is_found():
    reply = ask({"role": "user", "content": [{"type": "text", "text": PROMPT}, {"type": "image"}]})
    assert reply.turn == 0


def test_a_request_without_tools_is_a_side_request_even_when_it_quotes_the_prompt():
    reply = ask(user(f"Name this session: {PROMPT}"), tools=())
    assert (reply.answered_by, reply.turn) == (AnsweredBy.SIDE, None)
    assert not reply.answer.calls


def test_a_conversation_of_somebody_else_takes_no_turn():
    assert ask(user("Something else.")).answered_by is AnsweredBy.SIDE


def test_a_subagent_has_its_own_script_and_leaves_the_main_one_alone():
    sub = Script("Count the herons.", (Say("Three."),))
    reply = ask(user("Count the herons."), scripts=(SCRIPT, sub))
    assert (reply.script, reply.answer.text) == (1, "Three.")


def test_the_latest_prompt_of_a_conversation_decides():
    second = Script("And now?", (Say("Now this."),))
    reply = ask(
        user(PROMPT), assistant(Answer("Done.")), user("And now?"), scripts=(SCRIPT, second)
    )
    assert (reply.script, reply.turn, reply.answer.text) == (1, 0, "Now this.")


def test_a_script_that_has_ended_says_so():
    messages = [user(PROMPT)] + [assistant(Answer("x"))] * 3
    reply = ask(*messages)
    assert (reply.answered_by, reply.turn) == (AnsweredBy.EXHAUSTED, 3)


def test_a_tool_that_is_not_offered_is_named_and_not_called():
    reply = ask(user(PROMPT), tools=("view",))
    assert reply.answered_by is AnsweredBy.NOT_OFFERED
    assert reply.missing_tools == (str(SHELL),)
    assert not reply.answer.calls


def test_several_tools_can_be_called_in_one_turn():
    turn = CallTools((CallTool("bash"), CallTool(tool_ending("recall"))), "Both.")
    reply = ask(user("go"), scripts=(Script("go", (turn,)),), tools=("bash", "imprint-recall"))
    assert [call.name for call in reply.answer.calls] == ["bash", "imprint-recall"]
    assert len({call.id for call in reply.answer.calls}) == 2
    assert reply.answer.text == "Both."


@pytest.mark.parametrize(
    ("wanted", "offered", "found"),
    [
        (SHELL, ("view", "powershell"), "powershell"),
        (tool_ending("recall"), ("imprint-recall", "recall"), "recall"),
        (tool_ending("recall"), ("bash", "imprint-recall"), "imprint-recall"),
        (ToolName(("a", "b")), ("b", "a"), "a"),
        (tool_ending("recall"), ("recall-all",), None),
        (ToolName(), ("bash",), None),
    ],
)
def test_a_tool_name_takes_an_exact_name_before_an_ending(wanted, offered, found):
    assert wanted.resolve(offered) == found


def test_a_request_for_a_summary_is_answered_with_how_far_the_script_is():
    reply = ask(user(PROMPT), assistant(Answer("x")), summary_request())
    assert (reply.answered_by, reply.turn) == (AnsweredBy.COMPACTION, None)
    assert reply.answer.text == "Noted. [script 0 has said 1 turns]"


TURNS = st.lists(
    st.sampled_from([SHELL_TURN, CallTools((SHELL_TURN, SHELL_TURN)), CallTool("bash")]), max_size=8
)


@given(turns=TURNS, compactions=st.lists(st.integers(0, 2), min_size=9, max_size=9))
def test_every_turn_is_said_once_and_in_order_whatever_compaction_takes_away(turns, compactions):
    """As Copilot does it: a summary that quotes the prompts, then the last few messages."""
    script = Script(PROMPT, (*turns, Say("End.")))
    history = [user(f"<now> {PROMPT}")]
    performed = []
    while True:
        reply = ask(*history, scripts=(script,))
        performed.append(reply.turn)
        history.append(assistant(reply.answer))
        if not reply.answer.calls:
            break
        history.append({"role": "tool", "content": "ok"})
        kept = compactions[len(performed) - 1] * 2
        if kept < 4:
            summary = ask(*history, summary_request(), scripts=(script,)).answer.text
            start = user(f"<user_message>{PROMPT}</user_message><summary>{summary}</summary>")
            history = [start, *history[len(history) - kept :]]
    assert performed == list(range(len(turns) + 1))
