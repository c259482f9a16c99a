"""Added to the stand-in of tests/observe: MCP servers, instructions, and three ways to be broken.

Never imported; `test_live_copilot` puts it before the stand-in's last lines.
"""

# ruff: noqa: F821 (its names are the stand-in's)

_OFFERED = list(TOOLS)
_SERVERS = {}
_ask, _perform = ask, perform


class Noting(Session):
    """Its transcript is whole enough to be learned from."""

    def note(self, kind, **data):
        self.count = getattr(self, "count", 0) + 1
        if kind == "session.start":
            data["context"] = {"cwd": str(Path.cwd())}
        event = {
            "id": f"{self.id}-{self.count}",
            "parentId": None,
            "timestamp": f"2026-11-01T12:00:{self.count:02}.000Z",
            "type": kind,
            "data": data,
        }
        with self.transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")


Session = Noting


class Server:
    def __init__(self, entry):
        env = {**os.environ, **entry.get("env", {})}
        self.process = subprocess.Popen(
            [entry["command"], *entry["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
            encoding="utf-8",
        )
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
        self.request("initialize", {**hello, "clientInfo": {"name": "stand-in", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tools = [tool["name"] for tool in self.request("tools/list", {})["tools"]]

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number:
                return message["result"]


def start_servers():
    file = Path(os.environ["COPILOT_HOME"]) / "mcp-config.json"
    entries = json.loads(file.read_text(encoding="utf-8"))["mcpServers"] if file.exists() else {}
    if "no-servers" in KNOBS:
        return
    TOOLS[:] = [tool for tool in _OFFERED if "sibling" not in tool["function"]["name"]]
    for name, entry in entries.items():
        server = Server(entry)
        for tool in server.tools:
            _SERVERS[f"{name}-{tool}"] = (server, tool)
            TOOLS.append({"type": "function", "function": {"name": f"{name}-{tool}"}})


def ask(messages):
    file = Path(os.environ["COPILOT_HOME"]) / "copilot-instructions.md"
    told = file.read_text(encoding="utf-8") if file.exists() else ""
    return _ask([{"role": "system", "content": told}, *messages])


def perform(session, name, given):
    if name not in _SERVERS:
        return _perform(session, name, given)
    server, tool = _SERVERS[name]
    answer = server.request("tools/call", {"name": tool, "arguments": given})
    return "\n".join(part.get("text", "") for part in answer["content"])


if "-p" in sys.argv:
    if "wants-login" in KNOBS:
        sys.exit("No authentication information found.")
    if "updates-itself" in KNOBS:
        with Path(__file__).open("a", encoding="utf-8") as own:
            own.write("# newer\n")
    start_servers()
