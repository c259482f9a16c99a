"""Made-up matrices of made-up releases, by which contracts are decided in tests."""

from collections.abc import Mapping

from imprint.compat import UnreadableMatrix, Value
from imprint.compat.inference import build_matrix
from imprint.compat.shipped import PROGRAM, shipped_rules
from imprint.compat.versions import Line
from imprint.copilot.contract import Gate
from tests.compat.support import row, run

LINE = Line(("1.0.0", "1.0.1", "1.0.2", "1.0.3"))
RULES = shipped_rules()

NOTHING = Gate(RULES, build_matrix(PROGRAM, LINE, []))
DAMAGED = Gate(RULES, UnreadableMatrix("damaged"))

EVERYTHING: Mapping[str, Value] = {
    "hooks.file.home_dir": "yes",
    "hooks.names.pascal": {"SessionStart": "yes", "Stop": "yes"},
    "hooks.names.camel": {"sessionStart": "yes", "agentStop": "yes"},
    "hooks.timeout.key": {"timeoutSec": "honoured"},
    "hooks.exec.keys": {"bash": "yes", "command": "yes", "powershell": "yes"},
    "hooks.context.session_start": {"pascal.top": "yes", "camel.top": "yes"},
    "hooks.fires.prompt_mode": {"sessionStart": "yes", "agentStop": "yes"},
    "hooks.payload.stop_transcript": "transcript_path",
    "hooks.payload.transcript_flushed": {"at_start": "always"},
    "hooks.fires.subagent_stop": "none",
    "state.layout": "yes",
    "mcp.file.home": "yes",
    "mcp.type": {"stdio": "yes"},
    "mcp.tools": {"star": "all"},
    "instructions.home": "system",
}
"""A made-up release on which the best is known of everything."""

TIMEOUT_ALONE = {"timeoutSec": "ignored", "timeout": "honoured"}

EARLY: Mapping[str, Value] = {
    **EVERYTHING,
    "hooks.names.pascal": {"SessionStart": "no", "Stop": "no"},
}


def gate(**releases: Mapping[str, Value]) -> Gate:
    """A matrix of made-up releases: `v1_0_1={claim: value}`."""
    files = [
        run(name[1:].replace("_", "."), [row(value, claim) for claim, value in values.items()])
        for name, values in releases.items()
    ]
    return Gate(RULES, build_matrix(PROGRAM, LINE, files))
