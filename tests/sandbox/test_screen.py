"""What a terminal shows, however its bytes are cut."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.sandbox.drivers.screen import Screen

TALKATIVE = (
    b"\x1b[?1049h\x1b[?u\x1b[>0q\x1b[>4;1m\x1b[?2026$p\x1b]11;?\x07\x1bP+q544e\x1b\\\x1b[?25l"
    b"\x1b[2J\x1b[H\x1b[38;2;1;2;3mDo you\x1b[0m trust\r\n\r\n\xe2\x9d\xaf 1. Yes\x1b[?6n\x1b[c"
)
SHOWN = "Do you trust\n\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT} 1. Yes"


def shown(*pieces: bytes) -> str:
    screen = Screen()
    for piece in pieces:
        screen.feed(piece)
    return screen.text


def test_questions_to_the_terminal_are_not_text():
    assert shown(TALKATIVE) == SHOWN


@settings(deadline=None)
@given(st.lists(st.integers(0, len(TALKATIVE)), max_size=6))
def test_bytes_may_be_cut_anywhere(cuts):
    places = [0, *sorted(cuts), len(TALKATIVE)]
    pieces = [TALKATIVE[a:b] for a, b in pairwise(places)]
    assert shown(*pieces) == SHOWN


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_break_it(data):
    assert isinstance(shown(data), str)
