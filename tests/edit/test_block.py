"""The managed block: what is the user's stays, to the byte."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from imprint.edit.block import BlockState, Markers, find_blocks, remove_block, set_block

MARKERS = Markers("<!-- imprint:begin -->", "<!-- imprint:end -->")
BODY = "# Memory\n\nAsk `recall` first."
BLOCK = f"{MARKERS.begin}\n{BODY}\n{MARKERS.end}"

_quick = settings(deadline=None, max_examples=2 * settings.default.max_examples)
_LINES = st.sampled_from(["", "user", " indented", "- item\x0c", "# Memory", "\u2028", "a\x85b"])
_NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])
_BODIES = st.lists(_LINES, max_size=4).map("\n".join)


@st.composite
def _texts(draw, *, mixed=True):
    newline = draw(_NEWLINES)
    lines = draw(st.lists(_LINES, max_size=6))
    text = "".join(line + (draw(_NEWLINES) if mixed else newline) for line in lines)
    return text + draw(st.sampled_from(["", "no newline at the end", newline]))


@_quick
@given(_texts(), _BODIES)
def test_inserting_appends_and_removing_gives_the_original_back(text, body):
    after = set_block(text, MARKERS, body)
    assert after.startswith(text)
    assert find_blocks(after, MARKERS).state is BlockState.ONE
    assert remove_block(after, MARKERS) == text


@_quick
@given(_texts(), _texts(), _BODIES, _BODIES)
def test_updating_replaces_the_block_and_nothing_around_it(before, behind, old, new):
    assume(not before or before.endswith(("\n", "\r")))
    assume(not (before.endswith("\r") and behind.startswith("\n")))
    middle = f"{MARKERS.begin}\n{old}\n{MARKERS.end}\n"
    after = set_block(before + middle + behind, MARKERS, new)
    assert after.startswith(before)
    assert after.endswith(behind)
    (block,) = find_blocks(after, MARKERS).blocks
    assert block.body.rstrip("\n") == new.rstrip("\n")
    assert len(after) - len(before) - len(behind) <= len(middle) + len(new) - len(old) + 2


@_quick
@given(_texts(), _BODIES)
def test_a_second_run_changes_nothing(text, body):
    after = set_block(text, MARKERS, body)
    assert set_block(after, MARKERS, body) == after
    assert set_block(after, MARKERS, body, known=[]) == after


@_quick
@given(
    st.lists(
        st.one_of(_LINES, st.sampled_from([MARKERS.begin, MARKERS.end, *BODY.split("\n")])),
        max_size=12,
    ),
    st.sampled_from([None, (), (BODY,)]),
)
def test_whatever_is_broken_no_line_of_the_user_is_lost(lines, known):
    text = "\n".join(lines)
    ours = {MARKERS.begin, MARKERS.end, *BODY.split("\n")}
    inside = find_blocks(text, MARKERS).blocks
    outside = text
    for block in reversed(inside):
        outside = outside[: block.start] + outside[block.end :]
    # With known bodies even lines within a block are the user's, unless they are ours.
    theirs = text if known is not None else outside
    users = [line for line in theirs.split("\n") if line.strip() and line not in ours]
    for after in (
        set_block(text, MARKERS, BODY, known=known),
        remove_block(text, MARKERS, known=known),
    ):
        left = [line for line in after.split("\n") if line in users]
        assert sorted(left) == sorted(users)
    repaired = find_blocks(set_block(text, MARKERS, BODY, known=known), MARKERS)
    assert repaired.state is BlockState.ONE
    assert repaired.blocks[0].body == BODY
    assert find_blocks(remove_block(text, MARKERS, known=known), MARKERS).state is BlockState.NONE


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", f"{BLOCK}\n"),
        ("user", f"user\n\n{BLOCK}"),
        ("user\n", f"user\n\n{BLOCK}\n"),
        ("user\n\n", f"user\n\n\n{BLOCK}\n"),
        ("user\r\n", "user\r\n\r\n" + BLOCK.replace("\n", "\r\n") + "\r\n"),
    ],
)
def test_a_new_block_goes_to_the_end_behind_an_empty_line(text, after):
    assert set_block(text, MARKERS, BODY) == after
    assert set_block(text, MARKERS, BODY + "\n") == after


def test_text_that_was_added_below_the_block_stays_when_it_goes():
    assert remove_block(f"user\n\n{BLOCK}\nmore\n", MARKERS) == "user\n\nmore\n"
    assert remove_block(f"user\n\n{BLOCK}\n\nmore\n", MARKERS) == "user\n\nmore\n"
    assert remove_block(f"{BLOCK}\nmore", MARKERS) == "more"


def test_the_states_of_a_text_are_told_apart():
    cases = {
        "": BlockState.NONE,
        f"mentions {MARKERS.begin} in a line\n": BlockState.NONE,
        BLOCK: BlockState.ONE,
        f"  {MARKERS.begin}\t\r\nx\r\n{MARKERS.end}": BlockState.ONE,
        f"{BLOCK}\n\n{BLOCK}\n": BlockState.SEVERAL,
        f"{MARKERS.begin}\n{BODY}\n": BlockState.HALF,
        f"{BODY}\n{MARKERS.end}\n": BlockState.HALF,
        f"{MARKERS.begin}\n{BLOCK}\n": BlockState.HALF,
        f"{BLOCK}\n{MARKERS.end}\n": BlockState.HALF,
    }
    assert {text: find_blocks(text, MARKERS).state for text in cases} == cases


def test_a_found_block_says_where_it_is_and_what_it_holds():
    text = f"user\r\n{MARKERS.begin}\r\none\r\n\r\ntwo\r\n{MARKERS.end}\r\nmore"
    found = find_blocks(text, MARKERS)
    (block,) = found.blocks
    assert text[: block.start] == "user\r\n"
    assert text[block.end :] == "\r\nmore"
    assert block.body == "one\n\ntwo"
    assert find_blocks(f"x\n{MARKERS.end}", MARKERS).stray == (2,)


def test_of_two_blocks_the_first_is_updated_and_the_other_taken_out():
    text = f"a\n\n{BLOCK}\n\nb\n\n{BLOCK}\n\nc\n"
    assert set_block(text, MARKERS, "new") == (
        f"a\n\n{MARKERS.begin}\nnew\n{MARKERS.end}\n\nb\n\nc\n"
    )
    assert remove_block(text, MARKERS) == "a\n\nb\n\nc\n"


def test_lines_that_the_user_wrote_into_the_block_are_kept_below_it():
    edited = BLOCK.replace(BODY, f"mine\n{BODY}\n\nmine too")
    text = f"a\n\n{edited}\n"
    assert set_block(text, MARKERS, "new", known=[BODY]) == (
        f"a\n\n{MARKERS.begin}\nnew\n{MARKERS.end}\nmine\n\n\nmine too\n"
    )
    assert remove_block(text, MARKERS, known=[BODY]) == "a\n\nmine\n\n\nmine too\n"
    assert remove_block(text, MARKERS) == "a\n"


def test_the_body_of_an_older_imprint_is_replaced_whole_when_it_is_known():
    text = f"{MARKERS.begin}\nold one\n{MARKERS.end}\n"
    assert set_block(text, MARKERS, BODY, known=["old one"]) == f"{BLOCK}\n"


def test_a_lost_end_marker_takes_only_our_own_lines_with_it():
    text = f"a\n{MARKERS.begin}\n{BODY}\nuser's\n"
    assert set_block(text, MARKERS, BODY) == f"a\n{BLOCK}\nuser's\n"
    assert remove_block(text, MARKERS, known=[BODY]) == "a\nuser's\n"
    assert remove_block(text, MARKERS) == f"a\n{BODY}\nuser's\n"


def test_a_lost_begin_marker_takes_only_our_own_lines_with_it():
    text = f"user's\n{BODY}\n{MARKERS.end}\nb\n"
    assert set_block(text, MARKERS, BODY) == f"user's\n{BLOCK}\nb\n"
    assert remove_block(text, MARKERS, known=[BODY]) == "user's\nb\n"


def test_half_an_edited_body_is_left_to_the_user():
    text = f"{MARKERS.begin}\n# Memory\n\nAsk somebody else.\n"
    assert set_block(text, MARKERS, BODY) == f"{BLOCK}\nAsk somebody else.\n"


def test_a_body_must_not_hold_a_marker():
    with pytest.raises(ValueError, match="marker"):
        set_block("", MARKERS, f"x\n {MARKERS.end}\n")
