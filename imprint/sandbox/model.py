"""The scripted model: an OpenAI-compatible server that plays the model for a real Copilot."""

import errno
import secrets
import socket
import threading
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import urlsplit

import msgspec

from imprint.sandbox._http import Exchange, LoopbackServer, Reply
from imprint.sandbox._matching import AnsweredBy, ScriptReply, reply_to
from imprint.sandbox._wire import (
    Answer,
    ChatRequest,
    chunks,
    completion,
    decode_request,
    model_list,
)
from imprint.sandbox.errors import PortInUse
from imprint.sandbox.script import Script

__all__ = ["MODEL", "AnsweredBy", "ModelRequest", "ScriptedModel", "listen"]

MODEL = "gpt-4.1"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request that the model got: what came in and what answered it.

    `body` is the parsed JSON as Copilot sent it; `time_ns` the wall clock when it came in;
    `script` and `turn` are numbers (None for a side request); `missing_tools` names what the
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
        # A resumed session meets another server, whose ids must differ.
        self._run = secrets.token_hex(3)
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
        suffix = f"{self._run}{number}"
        identity, answer = f"chatcmpl-{suffix}", _unique(reply.answer, suffix)
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


def _unique(answer: Answer, suffix: str) -> Answer:
    """Ids of calls are unique in a conversation, as a real model's are."""
    calls = tuple(msgspec.structs.replace(call, id=f"{call.id}_{suffix}") for call in answer.calls)
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
