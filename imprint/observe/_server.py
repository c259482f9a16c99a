"""Run as `python -I -S _server.py MARKS LABEL [--OPTION=VALUE...] TOOL...`: an MCP server.

It writes `MARKS/LABEL.given` (its arguments and variables) when it starts, `MARKS/LABEL.started`
when a client has greeted it and `MARKS/LABEL.called` when a tool was called. Options: the text that
a call is answered with (`--answer`), `--instructions` for the model, the seconds that it takes to
answer the greeting (`--delay`); others do nothing. One JSON message a line, as the protocol has
it on standard streams.
"""

import json
import os
import sys
import time
from typing import Any


def main() -> None:
    """Serve until the input ends."""
    marks, label, *rest = sys.argv[1:]
    mark = os.path.join(marks, label)  # noqa: PTH118
    options = dict(word[2:].partition("=")[::2] for word in rest if word.startswith("--"))
    tools = [word for word in rest if not word.startswith("--")]
    _note_what_is_given(f"{mark}.given", rest)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = _result(message, mark, tools, options)
        answer = {"jsonrpc": "2.0", "id": message["id"], **result}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _result(
    message: dict[str, Any], mark: str, tools: list[str], options: dict[str, str]
) -> dict[str, Any]:
    match message["method"]:
        case "initialize":
            time.sleep(float(options.get("delay", "0")))
            _touch(f"{mark}.started")
            return {"result": _greeting(message["params"]["protocolVersion"], options)}
        case "tools/list":
            return {"result": {"tools": [_tool(name) for name in tools]}}
        case "tools/call":
            _touch(f"{mark}.called")
            text = options.get("answer", "called")
            return {"result": {"content": [{"type": "text", "text": text}]}}
        case "ping":
            return {"result": {}}
        case _:
            return {"error": {"code": -32601, "message": "no such method"}}


def _greeting(version: str, options: dict[str, str]) -> dict[str, Any]:
    greeting: dict[str, Any] = {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "probe", "version": "1"},
    }
    if options.get("instructions"):
        greeting["instructions"] = options["instructions"]
    return greeting


def _tool(name: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {}}
    return {"name": name, "description": "A probe.", "inputSchema": schema}


def _note_what_is_given(path: str, arguments: list[str]) -> None:
    """Written whole or not at all: who ends a server does not wait for it."""
    with open(f"{path}.new", "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump({"arguments": arguments, "variables": dict(os.environ)}, file)
    os.replace(f"{path}.new", path)  # noqa: PTH105


def _touch(path: str) -> None:
    with open(path, "a", encoding="utf-8"):  # noqa: PTH123
        pass


if __name__ == "__main__":
    main()
