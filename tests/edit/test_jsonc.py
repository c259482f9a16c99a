"""Edits of JSON with comments: one member changes, every other byte stays."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from imprint.edit.errors import JsonShapeError, JsonSyntaxError
from imprint.edit.jsonc import (
    MISSING,
    Replacement,
    find_member,
    is_blank,
    loads,
    remove_member,
    set_member,
    splice,
)
from imprint.edit.jsonparse import parse

ENTRY = {"type": "stdio", "command": "/opt/p y/python", "args": ["-P", "-m"], "env": {}}
# Time limits for one example fail on a busy machine; the whole test has one anyway.
_quick = settings(deadline=None, max_examples=settings.default.max_examples)
PATH = ("mcpServers", "imprint")

# --- documents as people have them, together with the value that they mean ---

_NAMES = st.one_of(
    st.sampled_from(["mcpServers", "imprint", "a", "b", "", "ü\n", '"', "\U0001f600"]),
    st.text(st.characters(codec="utf-8"), max_size=4),
)
_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**20, max_value=10**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(codec="utf-8"), max_size=6),
)
_SPACES = ("", " ", "\t", "\n", "\r\n", "\n  ", "\n\n\t", "\r", " \n ")
_COMMENTS = (
    "// note\n",
    '// "a": 1, }\r\n',
    "/* [ { , */",
    "/*\n*/",
    "//\r",
    "/***/ // x\n",
    "// ü\n\t/* */",
)
# One draw for each place: building trivia from smaller pieces is what costs time.
_SPACE = st.sampled_from(_SPACES)
_TRIVIA = st.sampled_from(
    [
        *_SPACES,
        *_SPACES,
        *(
            before + comment + behind
            for comment in _COMMENTS
            for before, behind in zip(_SPACES, _SPACES[3:] + _SPACES[:3], strict=False)
        ),
    ]
)


def _string(draw, text):
    return json.dumps(text, ensure_ascii=draw(st.booleans()))


def _render(draw, value, trivia):
    """A value as text, with trivia everywhere and sometimes a trailing comma."""
    if isinstance(value, str):
        return _string(draw, value)
    if not isinstance(value, list):
        return json.dumps(value)
    is_object = bool(value) and isinstance(value[0], tuple)
    parts = []
    for item in value:
        if is_object:
            key, inner = item
            name = _string(draw, key)
            body = f"{name}{draw(trivia)}:{draw(trivia)}{_render(draw, inner, trivia)}"
        else:
            body = _render(draw, item, trivia)
        parts.append(f"{draw(trivia)}{body}{draw(trivia)}")
    text = ",".join(parts) or draw(trivia)
    if parts and draw(st.booleans()):
        text += "," + draw(trivia)
    return f"{{{text}}}" if is_object else f"[{text}]"


def _meaning(value):
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return {key: _meaning(inner) for key, inner in value}
    return [_meaning(item) for item in value] if isinstance(value, list) else value


# Objects are lists of pairs, so that keys can come twice; an empty one is made below.
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(st.tuples(_NAMES, inner), min_size=1, max_size=4),
    ),
    max_leaves=8,
)
_OBJECTS = st.lists(st.tuples(_NAMES, _VALUES), min_size=1, max_size=4)


_SERVERS = st.one_of(st.none(), st.just({}), _OBJECTS, _OBJECTS)


@st.composite
def _documents(draw, servers=_SERVERS):
    """(text, value): an object with comments, odd spaces, trailing commas and duplicates."""
    servers = draw(servers)
    pairs = draw(st.lists(st.tuples(_NAMES, _VALUES), max_size=3))
    pairs = [pair for pair in pairs if pair[0] != "mcpServers"]
    trivia = draw(st.sampled_from([_TRIVIA, st.just(""), st.just(" "), _SPACE]))
    body = [f"{_string(draw, k)}{draw(trivia)}:{_render(draw, v, trivia)}" for k, v in pairs]
    value = {key: _meaning(inner) for key, inner in pairs}
    if servers is not None:
        rendered = f"{{{draw(trivia)}}}" if servers == {} else _render(draw, servers, trivia)
        body.append(f'{draw(trivia)}"mcpServers":{draw(trivia)}{rendered}')
        value["mcpServers"] = {} if servers == {} else _meaning(servers)
    inside = ",".join(f"{draw(trivia)}{item}{draw(trivia)}" for item in body) or draw(trivia)
    return f"{draw(trivia)}{{{inside}}}{draw(trivia)}", value


_NEW_VALUES = st.one_of(st.just(ENTRY), _VALUES.map(_meaning))


def _set(text, path, value):
    return splice(text, set_member(text, path, value))


def _remove(text, path):
    return splice(text, remove_member(text, path))


def _edited(value, path, wanted):
    """The same edit on a Python value."""
    *outer, last = path
    for key in outer:
        value = value.setdefault(key, {})
    value[last] = wanted


def _strict(value):
    """Text that tells true from 1, and 1 from 1.0, but not the order of keys."""
    return json.dumps(value, sort_keys=True)


@_quick
@given(_documents())
def test_a_document_is_read_as_what_it_means(document):
    text, value = document
    assert _strict(loads(text)) == _strict(value)


@_quick
@given(_documents(), _NAMES, _NEW_VALUES)
def test_setting_a_member_means_the_same_in_text_and_in_value(document, name, wanted):
    text, value = document
    path = ("mcpServers", name)
    _edited(value, path, wanted)
    after = _set(text, path, wanted)
    assert _strict(loads(after)) == _strict(value)
    assert _strict(find_member(after, path)) == _strict(wanted)
    assert set_member(after, path, wanted) == ()


@_quick
@given(_documents(st.one_of(st.just({}), _OBJECTS)), _NAMES, _NEW_VALUES)
def test_inserting_keeps_every_byte_and_removing_gives_the_original_back(document, name, wanted):
    text, value = document
    assume(name not in value["mcpServers"])
    path = ("mcpServers", name)
    replacements = set_member(text, path, wanted)
    assert all(item.start == item.end for item in replacements), "an insertion replaces nothing"
    assert _remove(splice(text, replacements), path) == text


@_quick
@given(_documents(st.none()), _NEW_VALUES)
def test_a_missing_object_on_the_way_is_made_and_removed_again(document, wanted):
    text, _ = document
    after = _set(text, PATH, wanted)
    assert find_member(after, ("mcpServers",)) == {"imprint": wanted}
    assert _remove(after, ("mcpServers",)) == text


@_quick
@given(_documents(_OBJECTS), _NEW_VALUES)
def test_replacing_a_value_touches_only_its_span(document, wanted):
    text, value = document
    name = next(iter(value["mcpServers"]))
    for item in set_member(text, ("mcpServers", name), wanted):
        old = text[item.start : item.end]
        assert _strict(loads(old)) == _strict(value["mcpServers"][name])
        assert old == old.strip(), "only the value itself is replaced"


@_quick
@given(_documents(_OBJECTS), st.data())
def test_removing_any_member_means_the_same_and_keeps_every_comment(document, data):
    text, value = document
    servers = value["mcpServers"]
    name = data.draw(st.sampled_from(sorted(servers)))
    node = parse(text).last("mcpServers").node
    spans = [(item.key_start, item.node.end) for item in node.members if item.key == name]
    replacements = remove_member(text, ("mcpServers", name))
    after = splice(text, replacements)
    if len(spans) == 1:
        around = [text[item.start : item.end] for item in replacements]
        left = "".join(around).replace(text[slice(*spans[0])], "", 1)
        assert not left.strip(" \t\r\n,"), "only white space and commas go with the member"
    del servers[name]
    assert _strict(loads(after)) == _strict(value)
    assert remove_member(after, ("mcpServers", name)) == ()


@_quick
@given(_documents(), st.data())
def test_cutting_a_document_anywhere_is_a_syntax_error_and_never_a_crash(document, data):
    text, _ = document
    cut = data.draw(st.integers(0, parse(text).end - 1))
    with pytest.raises(JsonSyntaxError) as caught:
        loads(text[:cut])
    assert caught.value.line >= 1
    assert caught.value.column >= 1


@_quick
@given(st.text(st.sampled_from('{}[]:,"\\/* \nab0-1.e'), max_size=12))
def test_what_json_accepts_is_accepted_with_the_same_value(text):
    try:
        expected = json.loads(text, parse_constant=lambda name: pytest.fail(name))
    except ValueError:
        return
    assert _strict(loads(text)) == _strict(expected)


# --- layouts, one by one ---

LAYOUTS = {
    "two spaces": (
        '{\n  "mcpServers": {\n    "a": {\n      "x": 1\n    }\n  }\n}\n',
        (
            '{\n  "mcpServers": {\n    "a": {\n      "x": 1\n    },\n    "imprint": {\n'
            '      "k": [\n        1\n      ]\n    }\n  }\n}\n'
        ),
    ),
    "tabs, CRLF, no final newline": (
        '{\r\n\t"mcpServers": {\r\n\t\t"a": {\r\n\t\t\t"x": 1\r\n\t\t}\r\n\t}\r\n}',
        (
            '{\r\n\t"mcpServers": {\r\n\t\t"a": {\r\n\t\t\t"x": 1\r\n\t\t},\r\n\t\t"imprint": {\r\n'
            '\t\t\t"k": [\r\n\t\t\t\t1\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}'
        ),
    ),
    "no indentation": (
        '{\n"mcpServers": {\n"a": {}\n}\n}',
        '{\n"mcpServers": {\n"a": {},\n"imprint": {\n"k": [\n1\n]\n}\n}\n}',
    ),
    "one line, compact": (
        '{"mcpServers":{"a":{"x":1}}}',
        '{"mcpServers":{"a":{"x":1},"imprint":{"k":[1]}}}',
    ),
    "one line with spaces": (
        '{ "mcpServers": { "a": { "x": 1 } } }',
        '{ "mcpServers": { "a": { "x": 1 }, "imprint": {"k": [1]} } }',
    ),
    "neighbours on one line each": (
        '{\n  "mcpServers": {\n    "a": {"x": 1}\n  }\n}',
        '{\n  "mcpServers": {\n    "a": {"x": 1},\n    "imprint": {"k": [1]}\n  }\n}',
    ),
    "trailing comma and comment": (
        '{\n  "mcpServers": {\n    "a": {"x": 1}, // mine\n    // "b": {}\n  },\n}',
        (
            '{\n  "mcpServers": {\n    "a": {"x": 1}, // mine\n    "imprint": {"k": [1]},\n'
            '    // "b": {}\n  },\n}'
        ),
    ),
    "a comment behind the last value": (
        '{\n  "mcpServers": {\n    "a": {"x": 1} // mine\n  }\n}',
        '{\n  "mcpServers": {\n    "a": {"x": 1}, // mine\n    "imprint": {"k": [1]}\n  }\n}',
    ),
    "a block comment on one line": (
        '{"mcpServers": {"a": 1 /* mine */}}',
        '{"mcpServers": {"a": 1 /* mine */, "imprint": {"k": [1]}}}',
    ),
    "an empty object": (
        '{\n  "mcpServers": {}\n}\n',
        '{\n  "mcpServers": {\n    "imprint": {\n      "k": [\n        1\n      ]\n    }\n  }\n}\n',
    ),
    "an empty object on one line": ('{"mcpServers":{}}', '{"mcpServers":{"imprint":{"k":[1]}}}'),
    "an object with a comment only": (
        '{\n  "mcpServers": {\n    // none yet\n  }\n}',
        (
            '{\n  "mcpServers": {\n    // none yet\n    "imprint": {\n      "k": [\n        1\n'
            "      ]\n    }\n  }\n}"
        ),
    ),
    "an empty object on two lines": (
        '{\n  "mcpServers": {\n  }\n}',
        '{\n  "mcpServers": {\n    "imprint": {\n      "k": [\n        1\n      ]\n    }\n\n  }\n}',
    ),
    "an empty document": (
        "{}\n",
        '{\n  "mcpServers": {\n    "imprint": {\n      "k": [\n        1\n      ]\n    }\n  }\n}\n',
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_new_member_is_laid_out_like_its_neighbours(name):
    before, after = LAYOUTS[name]
    assert _set(before, PATH, {"k": [1]}) == after


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name != "an empty document"])
def test_taking_the_new_member_out_restores_the_layout(name):
    before, after = LAYOUTS[name]
    assert _remove(after, PATH) == before


def test_blank_text_becomes_a_document_with_its_own_kind_of_newline():
    assert _set("", PATH, 1) == '{\n  "mcpServers": {\n    "imprint": 1\n  }\n}\n'
    assert _set(" \r\n", ("a",), 1) == '{\r\n  "a": 1\r\n}\r\n'
    assert is_blank("\t \r\n")
    assert find_member("", PATH) is MISSING
    assert remove_member("\n", PATH) == ()
    with pytest.raises(JsonSyntaxError, match="a value is missing"):
        loads("")


def test_of_equal_keys_the_last_one_is_read_and_edited():
    text = '{"mcpServers": {"imprint": 1}, "mcpServers": {"imprint": 2}}'
    assert find_member(text, PATH) == 2
    assert _set(text, PATH, 3) == '{"mcpServers": {"imprint": 1}, "mcpServers": {"imprint": 3}}'
    assert _remove(text, PATH) == '{"mcpServers": {"imprint": 1}, "mcpServers": {}}'


def test_removing_takes_all_duplicates_since_the_next_one_would_come_to_life():
    text = '{\n  "k": 1, // one\n  "a": 0, // user\n  "k": 2 // two\n}\n'
    assert _remove(text, ("k",)) == '{ // one\n  "a": 0 // user\n   // two\n}\n'


def test_escaped_names_are_the_same_names():
    text = '{"mcp\\u0053ervers": {"impr\\u0069nt": 1}}'
    assert _set(text, PATH, 2) == '{"mcp\\u0053ervers": {"impr\\u0069nt": 2}}'


def test_a_line_comment_never_swallows_what_follows_a_removed_member():
    assert loads(_remove('{ // c\n "b": 2, "a": 1}', ("b",))) == {"a": 1}
    assert loads(_remove('{"a": 1, // c\n "b": 2 }', ("b",))) == {"a": 1}
    assert loads(_remove('{ // c\n "b": 2, /* d\n */ "a": 1}', ("b",))) == {"a": 1}


def test_true_and_one_are_different_and_key_order_is_not():
    assert set_member('{"a": 1}', ("a",), True) != ()
    assert set_member('{"a": true}', ("a",), 1) != ()
    assert set_member('{"a": {"x": 1, "y": [null]}}', ("a",), {"y": [None], "x": 1}) == ()
    assert set_member('{"a": {"x": 1}}', ("a",), {"x": 1, "y": 2}) != ()


def test_numbers_keep_their_digits_where_they_are_not_edited():
    text = '{"big": 123456789012345678901234567890, "f": 1.10e+400, "a": 0}'
    assert _set(text, ("a",), 1) == text.replace('"a": 0', '"a": 1')
    assert find_member(text, ("big",)) == 123456789012345678901234567890
    assert find_member('{"n": ' + "9" * 5000 + "}", ("n",)) == float("inf")


def test_half_a_surrogate_pair_is_written_as_an_escape():
    after = _set("{}", ("a",), "x\udcff\U0001f600")
    assert "\\udcff" in after
    after.encode("utf-8")
    assert find_member(after, ("a",)) == "x\udcff\U0001f600"


def test_a_value_grows_over_several_lines_where_it_has_a_line_of_its_own():
    assert _set('{\n  "a": 1\n}', ("a",), {"x": 1}) == '{\n  "a": {\n    "x": 1\n  }\n}'
    assert _set('{\n  "a": {"y": 0}\n}', ("a",), {"x": 1}) == '{\n  "a": {"x": 1}\n}'
    assert _set('{"b": 0, "a": 1}', ("a",), {"x": 1}) == '{"b": 0, "a": {"x": 1}}'


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("null", "the file"),
        ("[]", "the file"),
        ("42", "the file"),
        ('""', "the file"),
        ('// c\n  {"mcpServers": []}', "'mcpServers'"),
        ('\n\n{"mcpServers": null}', "'mcpServers'"),
    ],
)
def test_something_else_than_an_object_on_the_way_is_refused_with_its_place(text, where):
    for call in (
        lambda: set_member(text, PATH, 1),
        lambda: remove_member(text, PATH),
        lambda: find_member(text, PATH),
    ):
        with pytest.raises(JsonShapeError, match=where) as caught:
            call()
        assert caught.value.fix
    if "mcpServers" in text:
        assert (caught.value.line, caught.value.column) == (
            text.count("\n") + 1,
            len(text.split("\n")[-1]) - len(text.split(": ")[1]) + 1,
        )


@pytest.mark.parametrize(
    ("text", "line", "column", "reason"),
    [
        ('{"a": 1', 1, 8, "'}' is missing"),
        ('{"a" 1}', 1, 6, "colon"),
        ("{a: 1}", 1, 2, "double quotes"),
        ("{'a': 1}", 1, 2, "double quotes"),
        ('{"a": 1 "b": 2}', 1, 9, "comma"),
        ('{\r\n"a": tru}', 2, 6, "value is expected"),
        ('{\r"a": NaN}', 2, 6, "value is expected"),
        ('{"a": 01}', 1, 8, "comma"),
        ('{"a": "x\ny"}', 1, 7, "string"),
        ('{"a": "\\x"}', 1, 7, "string"),
        ('{"a": 1} x', 1, 10, "follows"),
        ("{,}", 1, 2, "double quotes"),
        ('{"a": 1,,}', 1, 9, "double quotes"),
        ('{"a": }', 1, 7, "value is expected"),
        ("{ /* x", 1, 3, "comment has no end"),
        ("{ / }", 1, 3, "double quotes"),
        ('{"ü😀": @}', 1, 8, "value is expected"),
        ("[1 2]", 1, 4, "comma"),
    ],
)
def test_a_syntax_error_has_line_column_and_what_to_do(text, line, column, reason):
    with pytest.raises(JsonSyntaxError, match=reason) as caught:
        loads(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.fix
    named = caught.value.in_file(Path("/x/mcp.json"))
    assert isinstance(named, JsonSyntaxError)
    assert named.message.startswith(f"{Path('/x/mcp.json')}:{line}:{column}: ")
    assert str(named) == named.message


def test_depth_is_no_limit():
    depth = 20_000
    text = '{"deep": ' + "[" * depth + "]" * depth + ', "o": ' + '{"a":' * 999 + "1" + "}" * 1000
    after = _set(text, PATH, ENTRY)
    assert find_member(after, PATH) == ENTRY
    assert _remove(after, ("mcpServers",)) == text
    with pytest.raises(JsonSyntaxError, match="is missing"):
        loads('{"a":' * depth)


def test_a_large_document_is_edited_quickly():
    text = json.dumps({"mcpServers": {f"s{i}": ENTRY for i in range(3000)}}, indent=2)
    begin = time.monotonic()
    assert find_member(_set(text, PATH, 1), PATH) == 1
    assert time.monotonic() - begin < 5


def test_splice_puts_several_pieces_at_one_place_in_their_order():
    assert splice("ab", (Replacement(1, 1, "x"), Replacement(1, 1, "y"))) == "axyb"


def test_a_path_without_keys_is_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="at least one key"):
        set_member("{}", (), 1)
