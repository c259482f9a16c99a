"""The shape of JSON objects: their keys and types, without a value of chance."""

from collections.abc import Iterable, Mapping, Sequence

Shape = dict[str, str]
"""Key -> JSON types, joined by `|`. A key that some objects lack ends in `?`."""

_TYPES: Mapping[type, str] = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}


def json_type(value: object) -> str:
    """The JSON name of a decoded value's type."""
    return _TYPES[type(value)]


def shape_of(objects: Sequence[Mapping[str, object]]) -> Shape:
    """What the objects have in common, and what some have."""
    keys = sorted({key for one in objects for key in one})
    return {_named(key, objects): _types(one[key] for one in objects if key in one) for key in keys}


def _named(key: str, objects: Sequence[Mapping[str, object]]) -> str:
    return key if all(key in one for one in objects) else f"{key}?"


def _types(values: Iterable[object]) -> str:
    return "|".join(sorted({json_type(value) for value in values}))
