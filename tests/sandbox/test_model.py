"""The scripted model over HTTP."""

import http.client
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from imprint.sandbox.errors import PortInUse
from imprint.sandbox.model import MODEL, AnsweredBy, ScriptedModel, listen
from imprint.sandbox.script import CallTool, Say, Script

TOOLS = [{"type": "function", "function": {"name": "bash"}}]
SCRIPT = Script("the heron", (CallTool("bash", {"command": "true"}), Say("Done.")))


def call(model: ScriptedModel, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
    port = int(model.base_url.rsplit(":", 1)[1].partition("/")[0])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def chat(model: ScriptedModel, text: str, **more: object) -> tuple[int, bytes]:
    body = {"messages": [{"role": "user", "content": text}], "tools": TOOLS, "model": "m", **more}
    return call(model, "POST", "/v1/chat/completions", json.dumps(body).encode("utf-8"))


def test_the_models_are_listed():
    with ScriptedModel() as model:
        status, body = call(model, "GET", "/v1/models")
        assert status == 200
        assert [entry["id"] for entry in json.loads(body)["data"]] == [MODEL]
        assert model.requests[0].answered_by is AnsweredBy.MODELS


def test_an_answer_comes_whole_or_streamed_and_is_recorded():
    with ScriptedModel(SCRIPT) as model:
        status, whole = chat(model, "the heron")
        streamed_status, streamed = chat(model, "the heron", stream=True)
    assert (status, streamed_status) == (200, 200)
    assert json.loads(whole)["choices"][0]["finish_reason"] == "tool_calls"
    assert streamed.startswith(b"data: {")
    assert streamed.endswith(b"data: [DONE]\n\n")
    first, second = model.requests
    assert first.messages == (("user", "the heron"),)
    assert (first.script, first.turn, first.tools) == (0, 0, ("bash",))
    assert second.body["stream"] is True
    assert first.time_ns <= second.time_ns


def test_ids_of_calls_are_never_used_twice():
    with ScriptedModel(SCRIPT) as model, ScriptedModel(SCRIPT) as other:
        answers = [chat(one, "the heron")[1] for one in (model, model, other)]
    calls = [json.loads(each)["choices"][0]["message"]["tool_calls"][0]["id"] for each in answers]
    assert len(set(calls)) == 3


def test_a_connection_serves_several_requests():
    with ScriptedModel(SCRIPT) as model:
        port = int(model.base_url.rsplit(":", 1)[1].partition("/")[0])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        body = json.dumps({"messages": [], "stream": True})
        for _ in range(3):
            connection.request("POST", "/v1/chat/completions", body)
            assert connection.getresponse().read().endswith(b"data: [DONE]\n\n")
        connection.close()
        assert len(model.requests) == 3


@pytest.mark.parametrize("body", [b"", b"{", b'{"messages": 1}'])
def test_a_broken_request_gets_400_and_is_recorded(body):
    with ScriptedModel(SCRIPT) as model:
        status, answer = call(model, "POST", "/v1/chat/completions", body)
    assert status == 400
    assert json.loads(answer)["error"]["type"] == "invalid_request_error"
    assert model.requests[0].answered_by is AnsweredBy.REFUSED


def test_another_path_gets_404_and_is_recorded():
    with ScriptedModel(SCRIPT) as model:
        status, _ = call(model, "POST", "/v1/responses", b"{}")
    assert status == 404
    assert [request.path for request in model.requests] == ["/v1/responses"]


def test_requests_that_come_at_once_are_all_answered_and_recorded():
    with ScriptedModel(SCRIPT) as model, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: chat(model, f"the heron {number}"), range(24)))
    assert {status for status, _ in answers} == {200}
    assert {request.messages[0][1] for request in model.requests} == {
        f"the heron {number}" for number in range(24)
    }


def test_a_client_that_goes_away_in_the_middle_does_no_harm():
    with ScriptedModel(SCRIPT) as model:
        port = int(model.base_url.rsplit(":", 1)[1].partition("/")[0])
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
        assert chat(model, "the heron")[0] == 200


def test_what_reached_the_model_can_be_asked_by_role():
    with ScriptedModel(SCRIPT) as model:
        chat(model, "the heron")
    request = model.requests[0]
    assert request.contains("heron")
    assert request.contains("heron", "user")
    assert not request.contains("heron", "system")
    assert not request.contains("never said")


def test_a_closed_model_answers_no_more_and_keeps_its_records():
    before = threading.active_count()
    with ScriptedModel(SCRIPT) as model:
        chat(model, "the heron")
    with pytest.raises(ConnectionRefusedError):
        chat(model, "the heron")
    assert len(model.requests) == 1
    assert threading.active_count() <= before + 1


def test_a_port_that_is_taken_is_a_clear_error():
    with listen() as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse, match=f"port {port}") as caught:
            listen(port)
        assert caught.value.fix
