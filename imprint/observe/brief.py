"""The claims that an adapter stands on, asked of one Copilot in three sessions, within seconds.

Each judge answers what the first choices of the adapter need (one shape of context in each
spelling, one form of MCP entry), with the controls of the whole catalogue.
"""

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from imprint.base.paths import Environment
from imprint.compat import Attempt, Outcome
from imprint.observe import names, others, payloads, scenarios
from imprint.observe.judged import (
    NOT_RUN,
    Judge,
    Judged,
    SessionsByName,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.registry import attempt_of
from imprint.observe.scenario import PROMPT, Scenario
from imprint.observe.scene import BOGUS_EVENT, Scene
from imprint.observe.sessions import Seen, Sessions, SessionUseless
from imprint.sandbox.release import Release
from imprint.sandbox.script import Say, Turn

_CONTROL = "brief.control"
_STAR = ["*"]
_BY_NAME = {one.name: one for one in scenarios.SCENARIOS}

Table = dict[str, str | int | float]


def _arrange_control(scene: Scene) -> None:
    """No server where one is looked for; a hook that is slower than its limit, and one without."""
    seconds = scenarios.SLEEP_SECONDS
    limited = {**scene.hook("limited", seconds=seconds), "timeoutSec": 1}
    slow = scene.hook("slow", seconds=seconds)
    scene.write_hooks("hooks/limited.json", {"sessionStart": [limited]})
    scene.write_hooks("hooks/slow.json", {"sessionStart": [slow]})
    scene.write_hooks("hooks/bogus.json", {BOGUS_EVENT: [scene.hook(BOGUS_EVENT)]})
    servers = {
        "probe": scene.server("probe", scenarios.TOOLS, type="stdio", tools=_STAR),
        "sibling": scene.server("sibling", [scenarios.SIBLING_TOOL], type="stdio", tools=_STAR),
    }
    scene.write("elsewhere/mcp-config.json", json.dumps({"mcpServers": servers}))


def _says(scene: Scene) -> tuple[Turn, ...]:
    return (Say(f"Done: {scene.words.answer}"),)


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(_CONTROL, _arrange_control, _says),
    _BY_NAME["pascal.top"],
    _BY_NAME["camel.top"],
)
"""The slowest first, for the others to run beside it."""


def _context(sessions: SessionsByName) -> Judged:
    seen = {f"{name}.top": sessions[f"{name}.top"] for name in scenarios.START}
    value: Table = {
        name: yes_or_no(one.reached_model(one.words.context))
        for name, one in seen.items()
        if one.runs_of(scenarios.START[name.removesuffix(".top")])
    }
    if not value:
        return unjudged(NOT_RUN)
    heard = all(one.reached_model(PROMPT) for one in seen.values())
    return Judged(value, dict(value), positive=heard, negative=nothing_strange(*seen.values()))


def _limit(sessions: SessionsByName) -> Judged:
    seen = sessions[_CONTROL]
    limited, slow = seen.runs_of("limited"), seen.runs_of("slow")
    if not limited:
        return unjudged(NOT_RUN)
    value: Table = {"timeoutSec": "ignored" if limited[0].ended else "honoured"}
    ended = bool(slow) and all(run.ended for run in slow)
    return Judged(value, dict(value), positive=ended, negative=nothing_strange(seen))


def _shell(sessions: SessionsByName) -> Judged:
    """Every hook of these sessions has its line under `bash`: one that ran shows that it counts."""
    seen = sessions["camel.top"]
    if not seen.marks:
        return unjudged(NOT_RUN)
    value: Table = {"bash": "yes"}
    return Judged(value, dict(value), positive=True, negative=nothing_strange(seen))


def _mcp_file(sessions: SessionsByName) -> Judged:
    seen = sessions["pascal.top"]
    started = _started(seen)
    value = yes_or_no(started)
    return _of_servers(sessions, value, {"started": started}, is_sure=started)


def _mcp_type(sessions: SessionsByName) -> Judged:
    value: Table = {
        "stdio": yes_or_no(_started(sessions["pascal.top"])),
        "local": yes_or_no(_started(sessions["camel.top"])),
    }
    return _of_servers(sessions, value, dict(value), is_sure="yes" in value.values())


def _mcp_tools(sessions: SessionsByName) -> Judged:
    seen = sessions["pascal.top"]
    if not all(others.offers(seen, tool) for tool in scenarios.TOOLS):
        return unjudged("not-all-tools-came")
    value: Table = {"star": "all"}
    return _of_servers(sessions, value, dict(value), is_sure=True)


def _of_servers(
    sessions: SessionsByName, value: str | Table, facts: Mapping[str, object], *, is_sure: bool
) -> Judged:
    """Nothing is proven where no server starts; nor where one does of a file in another place."""
    without = sessions[_CONTROL]
    negative = others.no_server(without) and nothing_strange(without)
    return Judged(value, facts, positive=is_sure, negative=negative, reason="no-server-started")


def _layout(sessions: SessionsByName) -> Judged:
    seen = sessions[_CONTROL]
    found = len(list(seen.scene.scratch.sessions.glob("*/events.jsonl")))
    return Judged(
        yes_or_no(found == 1),
        {"transcripts": found},
        positive=bool(seen.answered),
        negative=nothing_strange(seen),
    )


def _started(seen: Seen) -> bool:
    return seen.scene.has_mark("probe.started") and others.offers(seen, scenarios.TOOLS[0])


JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "hooks.file.home_dir": names.home_dir,
        "hooks.names.pascal": names.pascal_names,
        "hooks.names.camel": names.camel_names,
        "hooks.fires.prompt_mode": names.fires_in_prompt_mode,
        "hooks.timeout.key": _limit,
        "hooks.exec.keys": _shell,
        "hooks.context.session_start": _context,
        "hooks.payload.stop_transcript": payloads.stop_transcript,
        "mcp.file.home": _mcp_file,
        "mcp.type": _mcp_type,
        "mcp.tools": _mcp_tools,
        "instructions.home": others.instructions_home,
        "state.layout": _layout,
    }
)


@dataclass(frozen=True, slots=True)
class Brief:
    """The sessions of one asking, by name: what each showed, or why it proves nothing."""

    found: Mapping[str, Seen | SessionUseless]
    reported_versions: frozenset[str]

    def __getitem__(self, name: str) -> Seen:
        """The session of a scenario; `SessionUseless` where it proves nothing, or was not run."""
        one = self.found.get(name, SessionUseless("not-run"))
        if isinstance(one, SessionUseless):
            raise one
        return one

    @property
    def seen(self) -> tuple[Seen, ...]:
        """Those that prove something."""
        return tuple(one for one in self.found.values() if isinstance(one, Seen))

    @property
    def useless(self) -> Mapping[str, SessionUseless]:
        """Those that prove nothing."""
        return {n: one for n, one in self.found.items() if isinstance(one, SessionUseless)}

    def ask(self, claim: str) -> Attempt:
        """One asking of one claim; `KeyError` where it is none of these."""
        try:
            return attempt_of(JUDGES[claim](self))
        except SessionUseless as error:
            outcome = Outcome.BLOCKED if error.blocked else Outcome.INCONCLUSIVE
            return Attempt(outcome, reason=error.reason)


def run_brief(
    release: Release,
    host: Environment,
    folder: Path,
    *,
    further: Iterable[Scenario] = (),
    deadline: float,
    at_once: int = 3,
) -> Brief:
    """Run the sessions below `folder`, and `further` ones with them, some at the same time.

    `deadline` (seconds) is that of each.
    """
    asked = (*SCENARIOS, *further)
    table = {one.name: one for one in asked}
    runs = {
        one.name: Sessions(release, host, folder / f"run-{one.name}", table, deadline)
        for one in asked
    }

    def run(name: str) -> Seen | SessionUseless:
        runs[name].folder.mkdir(parents=True)
        try:
            return runs[name][name]
        except SessionUseless as error:
            return error

    with ThreadPoolExecutor(at_once) as pool:
        found = dict(zip(runs, pool.map(run, runs), strict=True))
    said = frozenset(version for one in runs.values() for version in one.reported_versions)
    return Brief(found, said)
