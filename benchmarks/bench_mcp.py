"""How long `imprint mcp` takes to answer `initialize`, against a bare `import mcp`."""

import json
import os
import subprocess
import sys
import tempfile

from benchmarks._measure import command, interleaved, report

_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "0"},
    },
}


def main(rounds: int = 12) -> None:
    """From the start of the process to the whole answer on its stdout."""
    with tempfile.TemporaryDirectory() as scratch:
        env = {**os.environ, "IMPRINT_HOME": scratch}
        python = [sys.executable, "-P"]

        def initialize() -> None:
            with subprocess.Popen(
                [*python, "-m", "imprint", "mcp"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=env,
            ) as server:
                assert server.stdin is not None
                assert server.stdout is not None
                server.stdin.write(json.dumps(_INITIALIZE).encode() + b"\n")
                server.stdin.flush()
                answer = json.loads(server.stdout.readline())
                assert "serverInfo" in answer["result"]
                server.kill()

        timings = interleaved(
            {
                "python -P -c 'import mcp'": command([*python, "-c", "import mcp"]),
                "imprint mcp, initialize answered": initialize,
            },
            rounds,
        )
    report("imprint mcp", timings, "at most 1.3")


if __name__ == "__main__":
    main()
