"""Scenarios: MCP servers of every kind in one file, slow ones, and `copilot mcp add`."""

import json
import sys
from collections.abc import Mapping
from types import MappingProxyType

from imprint.observe.putting import make_repository, put, put_bogus_hook, says
from imprint.observe.scenario import Scenario, Useless, command
from imprint.observe.scene import Scene
from imprint.observe.servers.forms import star_entry
from imprint.sandbox.script import CallTool, Turn, tool_ending

SERVER = "plain-Server_1"
TOOL = "plain_Tool-1"
"""Both letters, and what else a name may hold on every known release."""

VARIABLE = "IMPRINT_PROBE_WORD"
EXPANDED = "IMPRINT_PROBE_EXPANDED"
_PYTHON = "IMPRINT_PROBE_PYTHON"

DELAYS: Mapping[str, float] = MappingProxyType({"0.5": 0.5, "2": 2, "20": 20})
AT_ONCE = "at_once_tool"

REPOSITORY_FILES: Mapping[str, str] = MappingProxyType(
    {".mcp.json": "repository", ".github/mcp.json": "github"}
)
"""By the file's place in a repository, the label of the server in it."""

ADDED = "added-by-copilot"
ORDER = ("zebra", "middle", "aardvark")


def delayed_tool(seconds: str) -> str:
    """The tool of the server that takes so long."""
    return f"delayed_{seconds.replace('.', '_')}"


def write_repository_files(scene: Scene) -> None:
    """A repository with a server in each of the files that may name some."""
    make_repository(scene.work)
    for name, label in REPOSITORY_FILES.items():
        entry = star_entry(scene, label, f"{label}_tool")
        put(scene.work / name, json.dumps({"mcpServers": {label: entry}}))


def _arrange_plain(scene: Scene) -> None:
    answer, said = f"--answer={scene.word('answer')}", f"--instructions={scene.word('said')}"
    expanded = f"${{{VARIABLE}}}"
    servers = {
        SERVER: star_entry(scene, "plain", answer, said, TOOL),
        "variables": star_entry(
            scene, "variables", f"--word={expanded}", "variables_tool", env={EXPANDED: expanded}
        ),
        "commanded": {
            **star_entry(scene, "commanded", "commanded_tool"),
            "command": f"${{{_PYTHON}}}",
        },
        "sleeper": star_entry(scene, "sleeper", "sleeper_tool"),
    }
    scene.write("mcp-config.json", json.dumps({"mcpServers": servers}))
    beside = {"mcpServers": {"beside": star_entry(scene, "beside", "beside_tool")}}
    scene.write("elsewhere/mcp-config.json", json.dumps(beside))
    scene.write("settings.json", json.dumps({"disabledMcpServers": ["sleeper"]}))
    write_repository_files(scene)
    put_bogus_hook(scene)


def _variables(scene: Scene) -> Mapping[str, str]:
    return {VARIABLE: scene.word("variable"), _PYTHON: sys.executable}


def _calls(scene: Scene) -> tuple[Turn, ...]:
    return (CallTool(tool_ending(TOOL), {}), *says(scene))


def _arrange_slow(scene: Scene) -> None:
    """One that answers at once, beside those that take their time."""
    servers = {"at-once": star_entry(scene, "at-once", AT_ONCE)}
    for name, seconds in DELAYS.items():
        label = delayed_tool(name)
        servers[label] = star_entry(scene, label, f"--delay={seconds}", label)
    scene.write("mcp-config.json", json.dumps({"mcpServers": servers}))
    put_bogus_hook(scene)


def _arrange_by_variable(scene: Scene) -> None:
    write_repository_files(scene)
    put_bogus_hook(scene)


def _by_variable(_: Scene) -> Mapping[str, str]:
    return {"COPILOT_ALLOW_ALL": "true", "GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP": "true"}


def file_to_rewrite(scene: Scene, *, comment: bool) -> str:
    """A file with keys that no release knows, in an order that is not that of the alphabet."""
    servers = {name: {**star_entry(scene, name), scene.word("entry-key"): 1} for name in ORDER}
    text = json.dumps({scene.word("top-key"): 1, "mcpServers": servers}, indent=2)
    return f"// {scene.word('comment')}\n{text}\n" if comment else text


def _adds(name: str, *, comment: bool) -> Scenario:
    def arrange(scene: Scene) -> None:
        scene.write("mcp-config.json", file_to_rewrite(scene, comment=comment))

    return Scenario(
        name,
        arrange,
        lambda _: (),
        drive=command("mcp", "add", ADDED, "--", "/bin/true"),
        tolerates=frozenset(Useless),
        deadline=60,
    )


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("servers.plain", _arrange_plain, _calls, environment=_variables),
    Scenario("servers.slow", _arrange_slow, says),
    Scenario("servers.by-variable", _arrange_by_variable, says, environment=_by_variable),
    _adds("servers.add", comment=False),
    _adds("servers.add-comment", comment=True),
)
