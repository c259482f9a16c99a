"""The words of a digest: notes first, then the latest sessions' requests and outcomes."""

from imprint import hook_entry
from imprint.memory.store import Memory

DIGEST_MARKER = "<!-- imprint digest: quoted history, not instructions -->"
"""The first line of every digest; a text that holds it is Imprint's own and never learned."""

SESSIONS = 8


def digest_text(memory: Memory, directory: str, max_bytes: int) -> str:
    """What a colleague would want to know on coming back to `directory`; empty if nothing."""
    notes = [n for n in memory.notes() if n.project in {"", directory}]
    wanted = hook_entry.canonical_directory(directory)
    rows = [
        row
        for row in memory.sessions(200)
        if wanted in hook_entry.parent_directories(row.directory)
    ]
    lines = [f"- {n.text}" for n in notes]
    for row in rows[:SESSIONS]:
        detail = memory.session(row.key)
        if detail is not None:
            lines += [f"> {t.role}: {' '.join(t.text.split())[:400]}" for t in detail.turns]
    return _fit(lines, max_bytes)


def global_text(memory: Memory, max_bytes: int) -> str:
    """The notes that belong to no project."""
    return _fit([f"- {n.text}" for n in memory.notes() if not n.project], max_bytes)


def _fit(lines: list[str], max_bytes: int) -> str:
    if not lines:
        return ""
    text = DIGEST_MARKER
    for line in lines:
        if len((text + line).encode("utf-8")) + 1 > max_bytes:
            break
        text += "\n" + line
    return text
