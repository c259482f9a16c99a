"""The OpenAI chat wire format, as much of it as Copilot reads."""

from collections.abc import Iterator
from typing import Any

import msgspec


class _Function(msgspec.Struct, frozen=True):
    name: str = ""


class _Tool(msgspec.Struct, frozen=True):
    function: _Function = msgspec.field(default_factory=_Function)


class _MadeCall(msgspec.Struct, frozen=True):
    id: str = ""


class Message(msgspec.Struct, frozen=True):
    """One message of a request; `content` is a text, a list of parts, or absent."""

    role: str = ""
    content: Any = None
    tool_calls: tuple[_MadeCall, ...] | None = None

    @property
    def text(self) -> str:
        """All text of the message."""
        if isinstance(self.content, str):
            return self.content
        if not isinstance(self.content, list):
            return ""
        parts = (part.get("text") for part in self.content if isinstance(part, dict))
        return "\n".join(part for part in parts if isinstance(part, str))


class _StreamOptions(msgspec.Struct, frozen=True):
    include_usage: bool | None = None


class ChatRequest(msgspec.Struct, frozen=True):
    """The body of `POST /v1/chat/completions`; unknown keys are let pass."""

    messages: tuple[Message, ...]
    model: str = ""
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    tools: tuple[_Tool, ...] | None = None

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The tools that this request offers to the model."""
        return tuple(tool.function.name for tool in self.tools or ())


class ToolCall(msgspec.Struct, frozen=True):
    """A call that the model makes; `arguments` is JSON text."""

    id: str
    name: str
    arguments: str


class Answer(msgspec.Struct, frozen=True):
    """What the model says to one request."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()

    @property
    def finish_reason(self) -> str:
        """Why the model stopped."""
        return "tool_calls" if self.calls else "stop"


def decode_request(body: bytes) -> ChatRequest:
    """The typed request; `msgspec.DecodeError` where it is none."""
    return msgspec.json.decode(body, type=ChatRequest)


def model_list(model: str) -> dict[str, object]:
    """The answer to `GET /v1/models`."""
    entry = {"id": model, "object": "model", "created": 0, "owned_by": "imprint"}
    return {"object": "list", "data": [entry]}


def completion(identity: str, request: ChatRequest, answer: Answer) -> dict[str, object]:
    """The whole answer in one object."""
    message: dict[str, object] = {"role": "assistant", "content": answer.text or None}
    if answer.calls:
        message["tool_calls"] = [_call(call) for call in answer.calls]
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    head = _head(identity, request, "chat.completion")
    return {**head, "choices": [choice], "usage": _usage(request, answer)}


def chunks(identity: str, request: ChatRequest, answer: Answer) -> Iterator[bytes]:
    """The answer as server-sent events, text and arguments in more than one piece."""
    head = _head(identity, request, "chat.completion.chunk")

    def event(choices: list[dict[str, object]], usage: object = None) -> bytes:
        return _event({**head, "choices": choices, "usage": usage})

    def delta(value: dict[str, object], finish: str | None = None) -> bytes:
        return event([{"index": 0, "delta": value, "finish_reason": finish}])

    yield delta({"role": "assistant", "content": ""})
    for piece in _halves(answer.text):
        yield delta({"content": piece})
    for index, call in enumerate(answer.calls):
        yield delta({"tool_calls": [{"index": index, **_call(call, arguments="")}]})
        for piece in _halves(call.arguments):
            yield delta({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield delta({}, answer.finish_reason)
    if request.stream_options is not None and request.stream_options.include_usage:
        yield event([], _usage(request, answer))
    yield b"data: [DONE]\n\n"


def _head(identity: str, request: ChatRequest, kind: str) -> dict[str, object]:
    return {"id": identity, "object": kind, "created": 0, "model": request.model}


def _call(call: ToolCall, arguments: str | None = None) -> dict[str, object]:
    text = call.arguments if arguments is None else arguments
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": text}}


def _halves(text: str) -> tuple[str, ...]:
    middle = len(text) // 2
    return tuple(piece for piece in (text[:middle], text[middle:]) if piece)


def _usage(request: ChatRequest, answer: Answer) -> dict[str, int]:
    # Four characters a token: only the order of magnitude matters (compaction looks at it).
    asked = sum(len(message.text) for message in request.messages) // 4 + 1
    said = (len(answer.text) + sum(len(call.arguments) for call in answer.calls)) // 4 + 1
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _event(value: dict[str, object]) -> bytes:
    return b"data: " + msgspec.json.encode(value) + b"\n\n"
