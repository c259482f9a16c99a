"""Which events are turns, and with which words: ADR 0057, "Parsing".

A user's turn has no `agentId`, a `source` that is absent or `user`, and is no continuation that
autopilot typed. An assistant's turn has neither `agentId` nor `parentToolCallId`; subagents of
releases before 1.0.40 have the latter alone. The words are `data.content` and nothing else;
continuations of early releases carry no mark, but their content is empty.

`delivery` (`idle`, `steering`, `queued`) and `parentAgentTaskId` say nothing about who spoke.
"""

from collections.abc import Collection
from dataclasses import dataclass

from imprint.learn.events import AssistantMessage, CompactionComplete, UserMessage
from imprint.memory import Turn
from imprint.memory.digest import DIGEST_MARKER

LONGEST_TEXT = 1024 * 1024
"""Characters; a pasted file is not a memory."""


def user_words(event: UserMessage) -> str:
    """What somebody typed; empty where nobody did."""
    data = event.data
    if event.agent_id or data.parent_tool_call_id or data.is_autopilot_continuation:
        return ""
    if data.source not in {None, "", "user"}:
        return ""
    return own_words(data.content)


def assistant_words(event: AssistantMessage) -> str:
    """What the main agent answered; empty for a subagent, and for tool requests without words."""
    return own_words(event.data.content) if is_main_agent(event) else ""


def is_main_agent(event: AssistantMessage) -> bool:
    """Whether the agent that the user talks with said it."""
    return not event.agent_id and not event.data.parent_tool_call_id


def summary_words(event: CompactionComplete) -> str:
    """The summary that took the place of earlier turns; empty where compaction failed."""
    if event.agent_id or not event.data.success:
        return ""
    return own_words(event.data.summary_content or "")


def own_words(text: str) -> str:
    """The text without what Imprint itself put there, which ends whatever it follows."""
    return text.partition(DIGEST_MARKER)[0].strip()[:LONGEST_TEXT]


@dataclass(slots=True)
class _Answer:
    """An answer of several messages; named after the first of them that was read."""

    first: Turn
    count: int
    chunks: dict[int, str]

    @property
    def is_whole(self) -> bool:
        return len(self.chunks) >= self.count

    def turn(self) -> Turn:
        words = (self.chunks[index].strip() for index in sorted(self.chunks))
        text = "\n\n".join(filter(None, words))
        first = self.first
        return Turn(first.event_id, "assistant", own_words(text), first.timestamp, first.ordinal)


class Answers:
    """Puts answers together that came as several messages (`chunkIndex` of `chunkCount`).

    They share `apiCallId`. In any order, and with some missing, they are one turn.
    """

    def __init__(self) -> None:
        self._open: dict[str, _Answer] = {}

    @property
    def oldest(self) -> int | None:
        """The ordinal of the first answer that is not whole."""
        return min((answer.first.ordinal for answer in self._open.values()), default=None)

    def add(self, event: AssistantMessage, turn: Turn) -> list[Turn]:
        """The turns that are whole now; `turn` is the message taken by itself."""
        data = event.data
        call, count, index = data.api_call_id, data.chunk_count, data.chunk_index
        if not call or count is None or count < 2 or index is None:
            return [turn] if turn.text else []
        answer = self._open.get(call)
        done = []
        if answer is not None and (index in answer.chunks or answer.count != count):
            # Providers use ids again: this is the next answer.
            done = [self._open.pop(call).turn()]
            answer = None
        if answer is None:
            answer = self._open[call] = _Answer(turn, count, {})
        answer.chunks[index] = data.content
        if answer.is_whole:
            done.append(self._open.pop(call).turn())
        return [whole for whole in done if whole.text]

    def drop(self, ordinals: Collection[int]) -> None:
        """Forget answers that began with one of these messages: they were undone."""
        self._open = {k: a for k, a in self._open.items() if a.first.ordinal not in ordinals}

    def rest(self) -> list[Turn]:
        """What there is of answers that never became whole."""
        turns = [answer.turn() for answer in self._open.values()]
        return [turn for turn in turns if turn.text]
