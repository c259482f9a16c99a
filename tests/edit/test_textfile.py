"""Text files keep their bytes; what is not UTF-8 is refused with its place."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.edit.errors import EncodingError
from imprint.edit.textfile import decode, position


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff")), st.booleans())
def test_encoding_is_the_inverse_of_decoding(text, bom):
    data = (codecs.BOM_UTF8 if bom else b"") + text.encode()
    file = decode(data)
    assert (file.text, file.bom) == (text, bom)
    assert file.encode() == data
    assert file.with_text("x").encode() == (codecs.BOM_UTF8 if bom else b"") + b"x"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("mark", [True, False])
def test_other_unicode_encodings_are_refused_by_name_or_nature(encoding, mark):
    data = ("\ufeff" if mark and encoding[-2:] in ("le", "be") else "") + "{}"
    with pytest.raises(EncodingError, match=r"UTF-16|UTF-32") as caught:
        decode(data.encode(encoding))
    assert "UTF-8" in caught.value.fix


def test_a_byte_that_is_not_utf8_is_refused_with_its_place():
    with pytest.raises(EncodingError, match="0xe4 is not UTF-8") as caught:
        decode("erste Zeile ü\r\nzwei".encode() + "ä".encode("latin-1"))
    assert (caught.value.line, caught.value.column) == (2, 5)


def test_lines_end_with_any_of_the_three_newlines():
    text = "a\r\nb\rc\nd"
    assert [position(text, text.index(char)) for char in "abcd"] == [
        (1, 1),
        (2, 1),
        (3, 1),
        (4, 1),
    ]
