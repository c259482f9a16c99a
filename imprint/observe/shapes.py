"""The shapes in which a hook may give context."""

import json

CONTEXT_SHAPES = ("top", "nested", "both", "plain")


def nested(event: str, **members: object) -> str:
    """An answer whose members are inside `hookSpecificOutput`."""
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, **members}})


def context(event: str, shape: str, word: str) -> str:
    """The answer that gives `word` as context; `event` is the name as it was registered."""
    top = {"additionalContext": word}
    inner = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": word}}
    match shape:
        case "top":
            return json.dumps(top)
        case "nested":
            return json.dumps(inner)
        case "both":
            return json.dumps({**top, **inner})
        case _:
            return word
