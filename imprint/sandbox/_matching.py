"""Which turn answers a request: decided from the request alone, so nothing is ever used up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

import msgspec

from imprint.sandbox._wire import Answer, ChatRequest, Message, ToolCall
from imprint.sandbox.script import CallTool, CallTools, Say, Script, Turn

SIDE_ANSWER = "Noted."
EXHAUSTED_ANSWER = "The script of this conversation has ended."

_ASKS_FOR_SUMMARY = re.compile(r"\bcreate a detailed summary of the conversation\b")
"""Compaction (seen on 1.0.40 and 1.0.102) offers the tools and repeats the whole history, and
differs from the next turn in its last message alone."""

_PROGRESS = re.compile(r"\[script (\d+) has said (\d+) turns\]")
"""What our answer to a compaction says, and Copilot puts in the place of the history."""

_CALL_ID = re.compile(r"call_(\d+)_(\d+)_")


class AnsweredBy(StrEnum):
    """What answered a request."""

    TURN = "turn"
    SIDE = "side"
    COMPACTION = "compaction"
    EXHAUSTED = "exhausted"
    NOT_OFFERED = "not-offered"
    MODELS = "models"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ScriptReply:
    """An answer and where it came from; `missing_tools` could not be called, not being offered."""

    answer: Answer
    answered_by: AnsweredBy
    script: int | None = None
    turn: int | None = None
    missing_tools: tuple[str, ...] = ()


def reply_to(request: ChatRequest, scripts: Sequence[Script]) -> ScriptReply:
    """The answer to a request, from what the request itself shows."""
    # Titles, branch names and the like quote the prompt, but offer no tools.
    place = _place(request.messages, scripts) if request.tools else None
    if place is None:
        return ScriptReply(Answer(SIDE_ANSWER), AnsweredBy.SIDE)
    number, position = place
    if _ASKS_FOR_SUMMARY.search(request.messages[-1].text):
        said = f"{SIDE_ANSWER} [script {number} has said {position} turns]"
        return ScriptReply(Answer(said), AnsweredBy.COMPACTION, number)
    turns = scripts[number].turns
    if position >= len(turns):
        return ScriptReply(Answer(EXHAUSTED_ANSWER), AnsweredBy.EXHAUSTED, number, position)
    answer, missing = _perform(turns[position], request.tool_names, f"call_{number}_{position}")
    by = AnsweredBy.NOT_OFFERED if missing else AnsweredBy.TURN
    return ScriptReply(answer, by, number, position, missing)


def _place(messages: Sequence[Message], scripts: Sequence[Script]) -> tuple[int, int] | None:
    """The script that a history belongs to, and how many of its turns were said."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role != "user":
            continue
        number = _script_in(messages[index].text, scripts)
        if number is not None:
            return number, _said(messages[index:], number)
    return None


def _script_in(text: str, scripts: Sequence[Script]) -> int | None:
    """The script whose prompt is last in the text: a summary quotes them all."""
    found = [
        (text.rfind(script.prompt), len(script.prompt), number)
        for number, script in enumerate(scripts)
        if script.prompt in text
    ]
    return max(found)[2] if found else None


def _said(messages: Sequence[Message], number: int) -> int:
    """How many turns were said since the prompt, which is the first of the messages.

    Compaction takes messages out of the history, so what tells its own number goes before
    counting: an earlier summary of ours, and the ids of tool calls.
    """
    said = 0
    for script, turns in _PROGRESS.findall(messages[0].text):
        said = int(turns) if int(script) == number else said
    for message in messages:
        if message.role != "assistant":
            continue
        said += 1
        for call in message.tool_calls or ():
            marked = _CALL_ID.match(call.id)
            if marked and int(marked[1]) == number:
                said = int(marked[2]) + 1
    return said


def _perform(turn: Turn, offered: tuple[str, ...], identity: str) -> tuple[Answer, tuple[str, ...]]:
    match turn:
        case Say(text):
            return Answer(text), ()
        case CallTool():
            return _call((turn,), turn.text, offered, identity)
        case CallTools(calls, text):
            return _call(calls, text, offered, identity)
        case _:
            assert_never(turn)


def _call(
    calls: tuple[CallTool, ...], text: str, offered: tuple[str, ...], identity: str
) -> tuple[Answer, tuple[str, ...]]:
    made: list[ToolCall] = []
    missing: list[str] = []
    for call in calls:
        name = call.wanted.resolve(offered)
        if name is None:
            missing.append(str(call.wanted))
        else:
            arguments = msgspec.json.encode(dict(call.arguments)).decode("utf-8")
            made.append(ToolCall(f"{identity}_{len(made)}", name, arguments))
    if missing:
        return Answer(f"No such tool was offered: {', '.join(missing)}."), tuple(missing)
    return Answer(text, tuple(made)), ()
