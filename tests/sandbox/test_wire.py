"""The chat wire format."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.sandbox._wire import Answer, ChatRequest, ToolCall, chunks, completion, decode_request

CALLS = st.lists(
    st.builds(ToolCall, id=st.text(min_size=1), name=st.text(min_size=1), arguments=st.text()),
    max_size=3,
).map(tuple)


def events(request: ChatRequest, answer: Answer) -> list[dict]:
    raw = list(chunks("chatcmpl-1", request, answer))
    assert raw[-1] == b"data: [DONE]\n\n"
    return [msgspec.json.decode(piece.removeprefix(b"data: ")) for piece in raw[:-1]]


def assembled(stream: list[dict]) -> tuple[str, list[tuple[str, str, str]], str | None]:
    text, calls, finish = "", [], None
    for event in stream:
        for choice in event["choices"]:
            text += choice["delta"].get("content") or ""
            finish = choice["finish_reason"] or finish
            for call in choice["delta"].get("tool_calls", ()):
                if "id" in call:
                    calls.append([call["id"], call["function"]["name"], ""])
                calls[call["index"]][2] += call["function"]["arguments"]
    return text, [tuple(call) for call in calls], finish


@given(text=st.text(), calls=CALLS)
def test_a_stream_adds_up_to_the_answer(text, calls):
    stream = events(ChatRequest(messages=()), Answer(text, calls))
    reason = "tool_calls" if calls else "stop"
    assert assembled(stream) == (text, [(c.id, c.name, c.arguments) for c in calls], reason)


@given(text=st.text(), calls=CALLS)
def test_the_whole_answer_says_the_same_as_the_stream(text, calls):
    request = decode_request(b'{"messages": [], "stream_options": {"include_usage": true}}')
    answer = Answer(text, calls)
    whole = completion("chatcmpl-1", request, answer)
    message = whole["choices"][0]["message"]
    assert (message["content"] or "") == text
    made = [(c["id"], c["function"]["name"]) for c in message.get("tool_calls", ())]
    assert made == [(c.id, c.name) for c in calls]
    assert events(request, answer)[-1]["usage"] == whole["usage"]


def test_usage_is_streamed_only_when_it_was_asked_for():
    stream = events(ChatRequest(messages=()), Answer("hello"))
    assert all(event["usage"] is None for event in stream)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"messages": 3}', b"\xff"])
def test_what_is_no_chat_request_is_refused(body):
    with pytest.raises(msgspec.DecodeError):
        decode_request(body)


def test_unknown_keys_and_null_options_are_let_pass():
    request = decode_request(
        b'{"messages": [{"role": "assistant", "content": null, "tool_calls": null, "x": 1}],'
        b' "tools": null, "stream": null, "stream_options": null, "temperature": 0}'
    )
    assert request.messages[0].text == ""
    assert request.tool_names == ()
