"""Edits of configuration files as people publish them, where a collection of them is at hand."""

import json
from pathlib import Path

import pytest

from imprint.edit.errors import ContentError
from imprint.edit.jsonc import find_member, is_blank, loads, remove_member, set_member, splice
from imprint.edit.plan import FileChange
from imprint.edit.receipt import Restored, record, restore
from imprint.edit.textfile import decode

ENTRY = {"type": "stdio", "command": "/opt/python", "args": ["-P"], "env": {}, "tools": ["*"]}
_FOLDER = Path(__file__).parents[2].parent / "shared/data/public"
_FILES = sorted(
    path for kind in ("mcp-config", "settings", "hooks") for path in (_FOLDER / kind).glob("*")
)


@pytest.mark.skipif(not _FILES, reason="capability: the collection of public files")
@pytest.mark.parametrize("key", ["mcpServers", "hooks", "new"])
def test_every_file_is_edited_without_loss_or_refused_with_its_place(key):
    refused = edited = 0
    for path in _FILES:
        data = path.read_bytes()
        file = decode(data)
        if not _is_editable(file.text, key):
            refused += 1
            with pytest.raises(ContentError) as caught:
                set_member(file.text, (key, "imprint"), ENTRY)
            assert caught.value.line > 0
            continue
        replacements = set_member(file.text, (key, "imprint"), ENTRY)
        edited += 1
        after = splice(file.text, replacements)
        assert find_member(after, (key, "imprint")) == ENTRY, path.name
        change = FileChange(path, data, file.with_text(after).encode(), "test")
        assert restore(change.after, record(change)) == Restored(data, exact=True)
        if is_blank(file.text):
            continue
        inserted = (key, "imprint") if key in loads(file.text) else (key,)
        if all(item.start == item.end for item in replacements):
            assert splice(after, remove_member(after, inserted)) == file.text, path.name
    assert edited > 10 * refused


def _is_editable(text: str, key: str) -> bool:
    """Whether there is no content, or an object with an object (or nothing) under the key.

    By json itself where that can read it; comments and trailing commas are judged by loads.
    """
    if is_blank(text):
        return True
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = loads(text)
        except ContentError:
            return False
    return isinstance(value, dict) and isinstance(value.get(key, {}), dict)
