"""The reader: what people's transcripts look like, and that one bad line costs one line."""

import io
import json
import random
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.learn.damage import DamageKind
from imprint.learn.event_types import SKIPPED
from imprint.learn.events import AssistantMessage, ToolFailed, UserMessage
from imprint.learn.reader import HINTS, LONGEST_LINE, PIECE, TranscriptReader
from tests.learn.spoil import check, corpus
from tests.learn.support import Transcript

GOOD = Transcript().start().user("first").hook().answer("second").user("third").lines
FIRST, SECOND, THIRD = GOOD[1], GOOD[4], GOOD[5]


def words(data: bytes) -> list[str]:
    """What was said in these bytes."""
    return [
        event.data.content
        for _, _, event in TranscriptReader(io.BytesIO(data)).read()
        if isinstance(event, UserMessage | AssistantMessage)
    ]


def damage(data: bytes) -> dict[str, int]:
    """What was counted as damaged."""
    reader = TranscriptReader(io.BytesIO(data))
    list(reader.read())
    return reader.damage.lines


def test_events_of_which_nothing_is_learned_are_counted_and_not_handed_out() -> None:
    reader = TranscriptReader(io.BytesIO(b"".join(GOOD)))
    kinds = [type(event).__name__ for _, _, event in reader.read()]
    assert kinds == ["SessionStart", "UserMessage", "AssistantMessage", "UserMessage"]
    assert reader.events == len(GOOD)
    assert not reader.damage.lines
    assert not reader.damage.unknown


def test_every_event_comes_with_the_offset_of_its_line_and_its_id() -> None:
    data = b"".join(GOOD)
    for offset, event_id, _ in TranscriptReader(io.BytesIO(data)).read():
        line = data[offset : data.index(b"\n", offset)]
        assert json.loads(line)["id"] == event_id


def test_reading_goes_on_at_the_offset_where_it_stopped() -> None:
    data = b"".join(GOOD)
    file = io.BytesIO(data[: data.index(SECOND) + 20])
    reader = TranscriptReader(file)
    list(reader.read())
    assert reader.offset == data.index(SECOND)
    rest = TranscriptReader(io.BytesIO(data), offset=reader.offset, events=reader.events)
    assert [event.data.content for _, _, event in rest.read()] == ["second", "third"]  # type: ignore[union-attr]
    assert rest.events == len(GOOD)


def test_a_cut_last_line_waits_and_is_no_damage() -> None:
    cut = b"".join(GOOD)[:-10]
    reader = TranscriptReader(io.BytesIO(cut))
    list(reader.read())
    assert not reader.damage.lines
    assert cut[reader.offset :] == THIRD[:-10]


def test_a_whole_event_without_a_line_end_is_read_but_stays_to_be_read_again() -> None:
    data = b"".join(GOOD)[:-1]
    reader = TranscriptReader(io.BytesIO(data))
    said = [e.data.content for _, _, e in reader.read() if isinstance(e, UserMessage)]
    assert said == ["first", "third"]
    assert data[reader.offset :] == THIRD[:-1]
    assert reader.events == len(GOOD) - 1


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(FIRST + b"\0" * 700, ["first"], id="at-the-end"),
        pytest.param(FIRST + b"\0" * 700 + SECOND, ["first", "second"], id="before-a-good-line"),
        pytest.param(FIRST + b"\0" * 700 + b"\n" + SECOND, ["first", "second"], id="a-line"),
        pytest.param(FIRST[:40] + b"\0" * 9 + SECOND, ["second"], id="after-a-cut-event"),
        pytest.param(b"\0" * 5000, [], id="nothing-else"),
    ],
)
def test_nul_bytes_are_passed_over(data: bytes, expected: list[str]) -> None:
    assert words(data) == expected


def test_a_file_of_nul_bytes_alone_takes_no_memory() -> None:
    data = b"\0" * (40 * PIECE)
    file = io.BytesIO(data)
    tracemalloc.start()
    assert list(TranscriptReader(file).read()) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * PIECE


def test_a_cut_event_that_another_follows_on_its_line_costs_itself_alone() -> None:
    glued = FIRST[:60] + SECOND + THIRD
    assert words(glued) == ["second", "third"]
    assert damage(glued) == {DamageKind.GLUED_LINES: 1}


def test_two_whole_events_on_one_line_are_both_read() -> None:
    glued = FIRST.rstrip() + SECOND
    assert words(glued) == ["first", "second"]
    assert damage(glued) == {DamageKind.GLUED_LINES: 1}


def test_an_object_inside_a_cut_event_is_no_event_of_its_own() -> None:
    inner = b'{"type":"function","data":{"content":"not said"}}'
    cut = b'{"type":"assistant.message","data":{"toolRequests":[' + inner + b',"x\n'
    assert words(cut + SECOND) == ["second"]


def test_raw_newlines_in_a_string_cost_nothing() -> None:
    broken = FIRST.replace(b'"content":"first"', b'"content":"one\ntwo\nthree"')
    assert words(broken + SECOND) == ["one\ntwo\nthree", "second"]
    assert damage(broken + SECOND) == {DamageKind.RAW_NEWLINE: 1}


def test_a_line_that_is_broken_for_good_costs_itself_alone() -> None:
    data = FIRST + b'{"type":"user.message","data":{"content":"half\n' + SECOND + THIRD
    assert words(data) == ["first", "second", "third"]
    assert damage(data) == {DamageKind.CUT_LINE: 1}


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\f", "\v", "\x1c"])
def test_only_0x0a_ends_a_line(separator: str) -> None:
    text = f"be{separator}fore"
    raw = FIRST.replace(b"first", text.encode())
    assert words(raw + SECOND) == [text, "second"]


def test_lone_surrogates_are_read() -> None:
    line = FIRST.replace(b'"content":"first"', b'"content":"a\\ud83d b \\ud83d\\ude00"')
    [text, other] = words(line + SECOND)
    assert text.startswith("a")
    assert text.endswith(" b \U0001f600")
    assert other == "second"
    assert not damage(line)


def test_lone_surrogates_in_keys_and_types_harm_nothing() -> None:
    unknown = FIRST.replace(b"user.message", b"user.\\ud83dmessage")
    key = SECOND.replace(b'"content"', b'"\\udc00":1,"content"')
    assert words(unknown + key + THIRD) == ["second", "third"]


def test_a_damaged_line_with_many_beginnings_does_not_take_for_ever() -> None:
    cut = FIRST[:40] + b'{"type":"x",' * 300_000 + b"\n"
    started = time.monotonic()
    assert words(cut + SECOND) == ["second"]
    assert time.monotonic() - started < 10


def test_bytes_that_are_no_utf8_cost_no_more_than_themselves() -> None:
    assert words(FIRST.replace(b"first", b"f\xffrst") + SECOND) == ["f\ufffdrst", "second"]


def test_a_byte_order_mark_at_the_start_is_passed_over() -> None:
    data = b"\xef\xbb\xbf" + FIRST + SECOND
    assert words(data) == ["first", "second"]
    assert not damage(data)


def test_carriage_returns_before_line_ends_change_nothing() -> None:
    data = b"".join(GOOD).replace(b"\n", b"\r\n")
    reader = TranscriptReader(io.BytesIO(data))
    assert len(list(reader.read())) == 4
    assert reader.events == len(GOOD)
    assert not reader.damage.lines


def test_blank_lines_are_no_events_and_no_damage() -> None:
    reader = TranscriptReader(io.BytesIO(b"\n \n" + FIRST + b"\n"))
    assert len(list(reader.read())) == 1
    assert reader.events == 1
    assert not reader.damage.lines


def test_keys_in_another_order_are_read() -> None:
    event = json.loads(FIRST)
    turned = json.dumps(dict(reversed(event.items()))).encode() + b"\n"
    spaced = json.dumps(event, indent=None).encode() + b"\n"
    assert words(turned + spaced) == ["first", "first"]


def test_unknown_types_are_counted_by_name() -> None:
    data = Transcript().event("session.of_tomorrow", {}).event("session.of_tomorrow", {}).bytes
    reader = TranscriptReader(io.BytesIO(data + FIRST))
    assert len(list(reader.read())) == 1
    assert reader.damage.unknown == {"session.of_tomorrow": 2}
    assert reader.events == 3


def test_a_known_type_of_another_shape_is_counted() -> None:
    flat = b'{"type":"user.message","prompt":"other producers","timestamp":1700001000000}\n'
    assert damage(flat + FIRST) == {DamageKind.UNEXPECTED_SHAPE: 1}
    assert words(flat + FIRST) == ["first"]


@pytest.mark.parametrize("line", [b"[1,2]", b'"text"', b"17", b"null", b"plain words", b'{"a":1}'])
def test_a_line_that_is_no_event_costs_itself(line: bytes) -> None:
    assert words(FIRST + line + b"\n" + SECOND) == ["first", "second"]
    assert sum(damage(FIRST + line + b"\n" + SECOND).values()) == 1


def test_an_event_without_an_id_is_named_by_its_line() -> None:
    line = b'{"type":"user.message","data":{"content":"nameless"}}\n'
    [(_, first, _), (_, second, _)] = TranscriptReader(io.BytesIO(line + line)).read()
    assert first == second
    assert first.startswith("line-")


def test_a_line_of_20_mb_is_read_if_somebody_said_it() -> None:
    text = "x" * (20 * 1024 * 1024)
    [huge, after] = words(FIRST.replace(b"first", text.encode()) + SECOND)
    assert len(huge) == len(text)
    assert after == "second"


def test_a_line_of_20_mb_that_nobody_needs_takes_no_memory() -> None:
    asset = Transcript().event("session.binary_asset", {"data": "A" * (20 * 1024 * 1024)}).bytes
    file = io.BytesIO(asset + SECOND)
    tracemalloc.start()
    reader = TranscriptReader(file)
    assert len(list(reader.read())) == 1
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert reader.events == 2
    assert peak < 5 * PIECE


def test_a_line_longer_than_anybody_writes_costs_itself() -> None:
    class Endless(io.BytesIO):
        """A line without an end for a long time, without the memory for it."""

        left = LONGEST_LINE + 3 * PIECE

        def readline(self, size: int | None = -1, /) -> bytes:
            if self.left > 0:
                self.left -= PIECE
                return b"x" * PIECE if self.left > 0 else b"x\n"
            return super().readline(size)

    reader = TranscriptReader(Endless(SECOND))
    assert [event.data.content for _, _, event in reader.read()] == ["second"]  # type: ignore[union-attr]
    assert reader.damage.lines == {DamageKind.LINE_TOO_LONG: 1}


def test_deep_nesting_costs_its_line() -> None:
    deep = FIRST.replace(b'"first"', b"[" * 100_000 + b"]" * 100_000)
    assert words(deep + SECOND) == ["second"]


def test_only_failed_tools_are_handed_out_with_their_start() -> None:
    data = (
        Transcript()
        .tool("view", {"path": "/a"})
        .tool("view", {"path": "/b"}, success=False, result="no such file")
        .bytes
    )
    failures = [
        e for _, _, e in TranscriptReader(io.BytesIO(data)).read() if isinstance(e, ToolFailed)
    ]
    [failure] = failures
    assert failure.started is not None
    assert failure.completed.data.success is False


@pytest.mark.parametrize(
    "result", ["out\n<exited with exit code 7>", "\n<shellId: 0 completed with exit code 7>"]
)
def test_a_command_that_ends_with_another_code_than_0_failed(result: str) -> None:
    def failures(text: str) -> int:
        data = Transcript().tool("bash", {"command": "make"}, result=text).bytes
        events = TranscriptReader(io.BytesIO(data)).read()
        return sum(isinstance(event, ToolFailed) for _, _, event in events)

    assert failures(result) == 1
    assert failures(result.replace("code 7", "code 0")) == 0


def test_a_long_passed_over_line_does_not_hide_the_next() -> None:
    long = Transcript().event("system.message", {"content": "y" * (3 * PIECE)}).bytes
    reader = TranscriptReader(io.BytesIO(long + FIRST))
    assert len(list(reader.read())) == 1
    assert reader.events == 2


junk = st.binary(max_size=200).map(lambda data: data.replace(b"\n", b""))


@given(st.lists(junk, max_size=6), st.data())
@settings(max_examples=3 * settings.default.max_examples, deadline=None)
def test_whatever_lies_between_them_good_lines_are_read(
    pieces: list[bytes], data: st.DataObject
) -> None:
    lines = [piece + b"\n" for piece in pieces]
    for line in (FIRST, SECOND, THIRD):
        lines.insert(data.draw(st.integers(0, len(lines))), line)
    said = words(b"".join(lines))
    assert sorted(word for word in said if word in {"first", "second", "third"}) == [
        "first",
        "second",
        "third",
    ]


@given(st.data())
@settings(max_examples=3 * settings.default.max_examples, deadline=None)
def test_no_mutation_of_a_transcript_stops_the_reader(data: st.DataObject) -> None:
    content = bytearray(b"".join(GOOD))
    for _ in range(data.draw(st.integers(1, 12))):
        place = data.draw(st.integers(0, len(content) - 1))
        match data.draw(st.sampled_from(("flip", "cut", "insert", "repeat"))):
            case "flip":
                content[place] = data.draw(st.integers(0, 255))
            case "cut":
                del content[place : place + data.draw(st.integers(1, 200))]
            case "insert":
                content[place:place] = data.draw(st.binary(max_size=40))
            case _:
                content[place:place] = content[place : place + 150]
        if not content:
            return
    reader = TranscriptReader(io.BytesIO(bytes(content)))
    for offset, event_id, _ in reader.read():
        assert 0 <= offset < len(content)
        assert event_id
    assert reader.offset <= len(content)


@given(st.data())
@settings(max_examples=2 * settings.default.max_examples, deadline=None)
def test_reading_in_two_parts_finds_the_same_as_reading_at_once(data: st.DataObject) -> None:
    content = b"".join(GOOD)
    cut = data.draw(st.integers(0, len(content)))
    first = TranscriptReader(io.BytesIO(content[:cut]))
    found = {event_id for _, event_id, _ in first.read()}
    second = TranscriptReader(io.BytesIO(content), offset=first.offset, events=first.events)
    found |= {event_id for _, event_id, _ in second.read()}
    whole = TranscriptReader(io.BytesIO(content))
    assert found == {event_id for _, event_id, _ in whole.read()}
    assert second.events == whole.events


def test_a_transcript_is_read_from_a_real_file(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"".join(GOOD))
    with path.open("rb") as file:
        assert len(list(TranscriptReader(file).read())) == 4


def test_lines_that_are_not_spoilt_are_read_whatever_was_done_to_the_others() -> None:
    chance, files = random.Random(7), corpus()
    for _ in range(400):
        check(chance.choice(files), chance)


@pytest.mark.parametrize("known", sorted(SKIPPED))
def test_the_whole_name_of_a_type_decides_however_long_it_is(known: str) -> None:
    line = b'{"type":"%s","data":{},"id":"1"}\n'
    reader = TranscriptReader(io.BytesIO(line % known.encode() + line % f"{known}X".encode()))
    assert list(reader.read()) == []
    assert reader.events == 2
    assert reader.damage.unknown == {f"{known}X": 1}
    assert not reader.damage.lines


def test_lines_that_all_begin_differently_are_read() -> None:
    count = 3 * HINTS
    passed = '{{"type":"abort","id":"{0:06}","data":{{}}}}\n'
    said = '{{"type":"user.message","id":"{0:06}","data":{{"content":"w{0}"}}}}\n'
    data = "".join((passed + said).format(number) for number in range(count)).encode()
    assert words(data) == [f"w{number}" for number in range(count)]
    reader = TranscriptReader(io.BytesIO(data))
    list(reader.read())
    assert reader.events == 2 * count
