"""What a receipt gives back: the original bytes, or the user's later edits without our part."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.edit.block import Markers, set_block
from imprint.edit.errors import ReceiptDamaged, ReceiptTooNew
from imprint.edit.jsonc import find_member, loads, set_member, splice
from imprint.edit.plan import FileChange
from imprint.edit.receipt import (
    FileReceipt,
    Receipt,
    Restored,
    decode,
    encode,
    load,
    record,
    restore,
)

PATH = ("mcpServers", "imprint")
ENTRY = {"type": "stdio", "command": "/opt/python", "tools": ["*"]}
MARKERS = Markers("<!-- imprint:begin -->", "<!-- imprint:end -->")
_quick = settings(deadline=None, max_examples=2 * settings.default.max_examples)
_BYTES = st.one_of(
    st.none(),
    st.binary(max_size=30),
    st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"\n", b"\xff", b"d"]), max_size=12).map(
        b"".join
    ),
)


def _recorded(before, after, original=...):
    change = FileChange(Path("/h/f"), before, after, "test")
    return record(change) if original is ... else record(change, original)


def _with_entry(before: bytes | None, value: object = None) -> bytes:
    text = (before or b"").decode()
    return splice(text, set_member(text, PATH, value or ENTRY)).encode()


@_quick
@given(_BYTES, _BYTES)
def test_after_any_change_the_original_comes_back_to_the_byte(before, after):
    receipt = _recorded(before, after)
    assert restore(after, receipt) == Restored(before, exact=True)
    assert restore(before, receipt) == Restored(before, exact=True)


@_quick
@given(_BYTES, _BYTES, _BYTES)
def test_whatever_the_file_became_restoring_never_invents_bytes(before, after, current):
    receipt = _recorded(before, after)
    restored = restore(current, receipt)
    if restored is not None and restored.data is not None and not restored.exact:
        removed = b"".join(span.removed for span in receipt.spans)
        assert len(restored.data) <= len(current or b"") + len(removed)


@_quick
@given(
    st.lists(st.sampled_from(["one", "two", "", "- three"]), max_size=5),
    st.lists(st.sampled_from(["more", "", "# head"]), max_size=4),
    st.lists(st.sampled_from(["more", "", "# tail"]), max_size=4),
)
def test_edits_around_the_block_survive_its_removal(lines, above, below):
    before = "\n".join(lines).encode()
    after = set_block(before.decode(), MARKERS, "remember\n\nthis").encode()
    top, bottom = "\n".join([*above, ""]).encode(), "\n".join(["", *below]).encode()
    restored = restore(top + after + bottom, _recorded(before, after))
    assert restored is not None
    assert restored.data == top + before + bottom or (not above and not below)


@pytest.mark.parametrize(
    "before",
    [
        None,
        b"",
        b"\n",
        b"{}",
        b"{\n}\n",
        b'{"mcpServers":{}}',
        b'{"mcpServers": {"a": {"x": 1,}, /* c */},}',
        b'{\r\n\t"mcpServers": {\r\n\t\t"imprint": {"old": "entry"} // mine\r\n\t}\r\n}',
    ],
)
def test_each_way_of_having_no_entry_comes_back_as_it_was(before):
    receipt = _recorded(before, _with_entry(before))
    assert restore(_with_entry(before), receipt) == Restored(before, exact=True)
    assert receipt.existed is (before is not None)


def test_a_server_that_the_user_added_before_ours_survives():
    before = b'{\n  "mcpServers": {\n    "a": {"x": 1}\n  }\n}\n'
    after = _with_entry(before)
    current = after.replace(b'"a": {"x": 1}', b'"z": {"y": 2},\n    "a": {"x": 1}')
    restored = restore(current, _recorded(before, after))
    assert restored is not None
    assert not restored.exact
    assert restored.data == before.replace(b'"a"', b'"z": {"y": 2},\n    "a"')


def test_a_server_that_the_user_added_behind_ours_survives():
    before = b'{\n  "mcpServers": {\n    "a": {"x": 1}\n  }\n}\n'
    after = _with_entry(before)
    current = after.replace(b"}\n  }\n}", b'},\n    "z": {"y": 2}\n  }\n}')
    restored = restore(current, _recorded(before, after))
    assert restored is not None
    assert restored.data is not None
    assert not restored.exact
    assert loads(restored.data.decode()) == {"mcpServers": {"a": {"x": 1}, "z": {"y": 2}}}


def test_an_entry_that_was_edited_or_rewritten_is_not_guessed_at():
    before = b'{\n  "mcpServers": {\n    "a": {"x": 1}\n  }\n}\n'
    after = _with_entry(before)
    receipt = _recorded(before, after)
    assert restore(after.replace(b"stdio", b"local"), receipt) is None
    assert restore(json.dumps(json.loads(after)).encode(), receipt) is None
    assert restore(after.replace(b"\n", b"\r\n"), receipt) is None


def test_our_bytes_found_twice_are_not_guessed_at():
    before, after = b"user\n", b"user\n\nblock of ours\n"
    receipt = _recorded(before, after)
    assert restore(after + after, receipt) is None


def test_a_file_that_we_created_and_the_user_extended_keeps_what_is_theirs():
    after = set_block("", MARKERS, "remember").encode()
    receipt = _recorded(None, after)
    assert restore(after, receipt) == Restored(None, exact=True)
    assert restore(after + b"user\n", receipt) == Restored(b"user\n", exact=False)
    assert restore(b"# user\n" + after, receipt) == Restored(b"# user\n", exact=False)
    # Only white space left: nobody's content.
    assert restore(after + b"\n", receipt) == Restored(None, exact=False)


def test_a_json_file_that_we_created_and_the_user_extended_is_left_to_structure():
    after = _with_entry(None)
    text = after.decode()
    extended = splice(text, set_member(text, ("mcpServers", "z"), {"x": 1})).encode()
    assert restore(extended, _recorded(None, after)) is None


def test_a_file_that_the_user_deleted_is_not_brought_back():
    receipt = _recorded(b"old", b"new")
    assert restore(None, receipt) == Restored(None, exact=False)
    assert restore(None, _recorded(None, b"new")) == Restored(None, exact=True)


def test_a_file_that_we_deleted_can_be_brought_back():
    receipt = _recorded(b"old prompts\n", None)
    assert restore(None, receipt) == Restored(b"old prompts\n", exact=True)


def test_an_upgrade_keeps_the_way_back_to_the_file_without_us():
    original = b'{"mcpServers": {"a": {"x": 1}}}'
    first = _with_entry(original)
    receipt = _recorded(original, first)
    second = _with_entry(first, {**ENTRY, "command": "/new/python"})
    restored = restore(first, receipt)
    assert restored is not None
    newer = _recorded(first, second, restored.data)
    assert restore(second, newer) == Restored(original, exact=True)


def test_several_distant_edits_are_several_spans():
    before = b"".join(b"line %d\n" % number for number in range(100))
    after = before.replace(b"line 10\n", b"LINE 10\n").replace(b"line 80\n", b"")
    receipt = _recorded(before, after)
    assert [(span.removed, span.inserted) for span in receipt.spans] == [
        (b"line", b"LINE"),
        (b"line 80\n", b""),
    ]
    current = after.replace(b"line 50\n", b"user's 50\n")
    restored = restore(current, receipt)
    assert restored == Restored(before.replace(b"line 50\n", b"user's 50\n"), exact=False)


def test_large_changes_take_one_span_and_little_time():
    before = b"".join(b"a%d\n" % number for number in range(50_000))
    after = b"".join(b"b%d\n" % number for number in range(50_000))
    receipt = _recorded(before, after)
    assert len(receipt.spans) == 1
    assert restore(after, receipt) == Restored(before, exact=True)


def _receipt(files: tuple[FileReceipt, ...]) -> Receipt:
    return Receipt(
        home="/home/ü/.copilot",
        imprint_version="1.2.3",
        runtime="/opt/python",
        written_at="2026-12-01T00:00:00Z",
        files=files,
        created_directories=("/home/ü/.copilot/hooks",),
        decisions={"hook-event-case": "pascal"},
        copilot_version="1.0.60",
    )


def test_a_receipt_on_disk_is_the_receipt(tmp_path):
    receipt = _receipt((_recorded(b"\xff\x00old", b"new\xfe"), _recorded(None, b"x")))
    path = tmp_path / "receipt.json"
    path.write_bytes(encode(receipt))
    assert load(path) == receipt
    assert receipt.file(Path("/h/f")) == receipt.files[0]
    assert receipt.file(Path("/h/other")) is None
    assert load(tmp_path / "missing.json") is None


def test_a_receipt_of_a_newer_imprint_is_refused():
    newer = encode(_receipt(())).replace(b'"schema": 1', b'"schema": 2')
    with pytest.raises(ReceiptTooNew, match="newer Imprint"):
        decode(newer, Path("/r.json"))


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"schema": 1}', b'{"schema": "1"}', b"\xff"])
def test_a_damaged_receipt_is_refused_and_says_what_to_do(data):
    with pytest.raises(ReceiptDamaged, match=r"[/\\]r\.json is no receipt") as caught:
        decode(data, Path("/r.json"))
    assert str(Path("/r.json")) in caught.value.fix


def test_fields_of_a_later_minor_version_are_ignored():
    data = encode(_receipt(())).replace(b'"home"', b'"later": {"x": 1}, "home"')
    assert decode(data, Path("/r.json")) == _receipt(())


def test_the_entry_is_really_in_the_file_that_these_tests_restore():
    assert find_member(_with_entry(b"{}").decode(), PATH) == ENTRY
