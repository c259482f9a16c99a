"""Run as `python -I -S _server.py MARKS LABEL TOOL...`: an MCP server that notes start and calls.

It writes `MARKS/LABEL.started` when a client has greeted it and `MARKS/LABEL.called` when a tool
was called. One JSON message a line, as the protocol has it on standard streams.
"""

import json
import os
import sys
from typing import Any


def main() -> None:
    """Serve until the input ends."""
    marks, label, *tools = sys.argv[1:]
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = _result(message, os.path.join(marks, label), tools)  # noqa: PTH118
        answer = {"jsonrpc": "2.0", "id": message["id"], **result}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _result(message: dict[str, Any], mark: str, tools: list[str]) -> dict[str, Any]:
    match message["method"]:
        case "initialize":
            _touch(f"{mark}.started")
            version = message["params"]["protocolVersion"]
            name = {"name": "probe", "version": "1"}
            capable: dict[str, Any] = {"tools": {}}
            greeting = {"protocolVersion": version, "capabilities": capable, "serverInfo": name}
            return {"result": greeting}
        case "tools/list":
            return {"result": {"tools": [_tool(name) for name in tools]}}
        case "tools/call":
            _touch(f"{mark}.called")
            return {"result": {"content": [{"type": "text", "text": "called"}]}}
        case "ping":
            return {"result": {}}
        case _:
            return {"error": {"code": -32601, "message": "no such method"}}


def _tool(name: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {}}
    return {"name": name, "description": "A probe.", "inputSchema": schema}


def _touch(path: str) -> None:
    with open(path, "a", encoding="utf-8"):  # noqa: PTH123
        pass


if __name__ == "__main__":
    main()
