"""The scripted model: an OpenAI-compatible server that plays the model for a real Copilot."""

import errno
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Self, assert_never
from urllib.parse import urlsplit

import msgspec

from imprint.sandbox._http import Exchange, LoopbackServer, Reply
from imprint.sandbox._wire import (
    Answer,
    ChatRequest,
    ToolCall,
    chunks,
    completion,
    decode_request,
    model_list,
)
from imprint.sandbox.errors import PortInUse
from imprint.sandbox.script import CallTool, CallTools, Say, Script, Turn

MODEL = "gpt-4.1"
SIDE_ANSWER = "Noted."
EXHAUSTED_ANSWER = "The script of this conversation has ended."


class AnsweredBy(StrEnum):
    """What answered a request."""

    TURN = "turn"
    SIDE = "side"
    EXHAUSTED = "exhausted"
    NOT_OFFERED = "not-offered"
    MODELS = "models"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request that the model got: what came in and what answered it.

    `body` is the parsed JSON as Copilot sent it; `time_ns` the wall clock when it came in;
    `script` and `turn` are numbers, or None for a side request; `missing_tools` names what the
    turn wanted to call and the request did not offer.
    """

    method: str
    path: str
    body: dict[str, Any]
    time_ns: int
    answered_by: AnsweredBy
    script: int | None = None
    turn: int | None = None
    tools: tuple[str, ...] = ()
    missing_tools: tuple[str, ...] = ()

    @property
    def messages(self) -> tuple[tuple[str, str], ...]:
        """(role, text) of every message in the request, in order."""
        try:
            request = msgspec.convert(self.body, ChatRequest)
        except msgspec.ValidationError:
            return ()
        return tuple((message.role, message.text) for message in request.messages)

    def contains(self, text: str, *roles: str) -> bool:
        """Whether `text` reached the model, in messages of these roles (default: of any)."""
        return any(text in said and (not roles or role in roles) for role, said in self.messages)


def listen(port: int = 0) -> socket.socket:
    """A listening socket on loopback; port 0 takes a free one.

    Raises `PortInUse` when the asked-for port is taken.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(64)
    except OSError as error:
        listener.close()
        if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
            raise
        raise PortInUse(
            f"port {port} on 127.0.0.1 can't be used: {error.strerror}",
            fix="name another port, or none to take a free one",
        ) from error
    return listener


class ScriptedModel:
    """Serves scripts; a context manager. `requests` holds every request so far, in order."""

    def __init__(self, *scripts: Script, listener: socket.socket | None = None) -> None:
        self._scripts = scripts
        self._lock = threading.Lock()
        self._requests: list[ModelRequest] = []
        self._server = LoopbackServer(listener or listen(), self._answer)

    def __enter__(self) -> Self:
        self._server.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.__exit__(*error)

    @property
    def base_url(self) -> str:
        """What `COPILOT_PROVIDER_BASE_URL` gets."""
        return f"http://127.0.0.1:{self._server.port}/v1"

    @property
    def requests(self) -> tuple[ModelRequest, ...]:
        """Every request until now."""
        with self._lock:
            return tuple(self._requests)

    def _answer(self, exchange: Exchange) -> Reply:
        path = urlsplit(exchange.path).path
        match exchange.method, path:
            case "GET", "/v1/models":
                self._record(exchange, AnsweredBy.MODELS)
                return _json(model_list(MODEL))
            case "POST", "/v1/chat/completions":
                return self._chat(exchange)
            case _:
                return self._refuse(exchange, HTTPStatus.NOT_FOUND, f"no {path} here")

    def _chat(self, exchange: Exchange) -> Reply:
        try:
            request = decode_request(exchange.body)
        except msgspec.DecodeError as error:
            return self._refuse(exchange, HTTPStatus.BAD_REQUEST, str(error))
        reply = reply_to(request, self._scripts)
        with self._lock:
            number = len(self._requests)
            self._requests.append(_recorded(exchange, request, reply))
        identity = f"chatcmpl-{number}"
        answer = _numbered(reply.answer, number)
        if request.stream:
            return Reply(
                chunks(identity, request, answer),
                content_type="text/event-stream",
                streamed=True,
            )
        return _json(completion(identity, request, answer))

    def _refuse(self, exchange: Exchange, status: HTTPStatus, message: str) -> Reply:
        self._record(exchange, AnsweredBy.REFUSED)
        error = {"message": message, "type": "invalid_request_error"}
        return _json({"error": error}, status)

    def _record(self, exchange: Exchange, answered_by: AnsweredBy) -> None:
        with self._lock:
            self._requests.append(
                ModelRequest(
                    exchange.method, exchange.path, _parsed(exchange), time.time_ns(), answered_by
                )
            )


@dataclass(frozen=True, slots=True)
class ScriptReply:
    """An answer and where it came from."""

    answer: Answer
    answered_by: AnsweredBy
    script: int | None = None
    turn: int | None = None
    missing_tools: tuple[str, ...] = ()


def reply_to(request: ChatRequest, scripts: Sequence[Script]) -> ScriptReply:
    """The answer to a request, from what the request itself shows."""
    place = _place(request, scripts)
    if place is None:
        return ScriptReply(Answer(SIDE_ANSWER), AnsweredBy.SIDE)
    number, position = place
    turns = scripts[number].turns
    if position >= len(turns):
        return ScriptReply(Answer(EXHAUSTED_ANSWER), AnsweredBy.EXHAUSTED, number, position)
    answer, missing = _perform(turns[position], request.tool_names)
    by = AnsweredBy.NOT_OFFERED if missing else AnsweredBy.TURN
    return ScriptReply(answer, by, number, position, missing)


def _place(request: ChatRequest, scripts: Sequence[Script]) -> tuple[int, int] | None:
    # Titles, summaries and the like quote the prompt, but offer no tools.
    if not request.tools:
        return None
    said = 0
    for message in reversed(request.messages):
        if message.role == "assistant":
            said += 1
        elif message.role == "user":
            text = message.text
            for number, script in enumerate(scripts):
                if script.prompt in text:
                    return number, said
    return None


def _perform(turn: Turn, offered: tuple[str, ...]) -> tuple[Answer, tuple[str, ...]]:
    match turn:
        case Say(text):
            return Answer(text), ()
        case CallTool():
            return _call((turn,), turn.text, offered)
        case CallTools(calls, text):
            return _call(calls, text, offered)
        case _:
            assert_never(turn)


def _call(
    calls: tuple[CallTool, ...], text: str, offered: tuple[str, ...]
) -> tuple[Answer, tuple[str, ...]]:
    made: list[ToolCall] = []
    missing: list[str] = []
    for call in calls:
        name = call.wanted.resolve(offered)
        if name is None:
            missing.append(str(call.wanted))
        else:
            arguments = msgspec.json.encode(dict(call.arguments)).decode("utf-8")
            made.append(ToolCall(str(len(made)), name, arguments))
    if missing:
        return Answer(f"No such tool was offered: {', '.join(missing)}."), tuple(missing)
    return Answer(text, tuple(made)), ()


def _numbered(answer: Answer, number: int) -> Answer:
    # Ids are unique in a conversation, as a real model's are.
    calls = tuple(
        ToolCall(f"call_{number}_{call.id}", call.name, call.arguments) for call in answer.calls
    )
    return Answer(answer.text, calls)


def _recorded(exchange: Exchange, request: ChatRequest, reply: ScriptReply) -> ModelRequest:
    return ModelRequest(
        method=exchange.method,
        path=exchange.path,
        body=_parsed(exchange),
        time_ns=time.time_ns(),
        answered_by=reply.answered_by,
        script=reply.script,
        turn=reply.turn,
        tools=request.tool_names,
        missing_tools=reply.missing_tools,
    )


def _parsed(exchange: Exchange) -> dict[str, Any]:
    try:
        return msgspec.json.decode(exchange.body, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}


def _json(value: dict[str, object], status: HTTPStatus = HTTPStatus.OK) -> Reply:
    return Reply((msgspec.json.encode(value),), status)
