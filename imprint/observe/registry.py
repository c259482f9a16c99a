"""Which judge answers which claim, out of which scenarios: one line per area in `_AREAS`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

from imprint.base.paths import Environment
from imprint.compat import Attempt, Controls, Outcome
from imprint.observe import (
    hook_answers,
    hook_files,
    hook_inputs,
    hook_runs,
    hosts,
    names,
    others,
    payloads,
    places,
    running,
    scenarios,
    servers,
    terminal,
    texts,
    transcripts,
)
from imprint.observe.judged import Judge, Judged, SessionsByName, Snapshot, digest
from imprint.observe.merging import merged
from imprint.observe.scenario import Scenario
from imprint.observe.sessions import Sessions, SessionUseless
from imprint.sandbox.release import Release


class Area(Protocol):
    """A package of scenarios and of the judges that look at them."""

    SCENARIOS: tuple[Scenario, ...]
    JUDGES: Mapping[str, Judge]


_AREAS: tuple[Area, ...] = (
    hook_answers,
    hook_runs,
    hook_files,
    hook_inputs,
    transcripts,
    servers,
    texts,
    places,
    terminal,
    hosts,
)

_FIRST_JUDGES: Mapping[str, Judge] = MappingProxyType(
    {
        "hooks.file.home_dir": names.home_dir,
        "hooks.file.unknown_event_reported": names.unknown_event_reported,
        "hooks.names.pascal": names.pascal_names,
        "hooks.names.camel": names.camel_names,
        "hooks.fires.prompt_mode": names.fires_in_prompt_mode,
        "hooks.fires.twice_both_spellings": running.both_spellings,
        "hooks.payload.pascal_style": payloads.pascal_style,
        "hooks.payload.camel_style": payloads.camel_style,
        "hooks.payload.event_name_field": payloads.event_name_field,
        "hooks.payload.stop_transcript": payloads.stop_transcript,
        "hooks.payload.stop_hook_active": payloads.stop_hook_active,
        "hooks.payload.tool_name": payloads.tool_name,
        "hooks.payload.tool_args": payloads.tool_args,
        "hooks.payload.timestamp": payloads.timestamp,
        "hooks.payload.transcript_flushed": payloads.transcript_flushed,
        "hooks.context.session_start": running.context_of_session_start,
        "hooks.context.several": running.several_contexts,
        "hooks.timeout.key": running.timeout_key,
        "hooks.exec.keys": running.exec_keys,
        "hooks.exec.shell": running.exec_shell,
        "hooks.exec.cwd": running.exec_cwd,
        "mcp.file.home": others.mcp_file,
        "mcp.type": others.mcp_type,
        "mcp.tools": others.mcp_tools,
        "instructions.home": others.instructions_home,
        "state.layout": others.state_layout,
        "state.folder_is_id": others.folder_is_id,
    }
)


_Value = TypeVar("_Value")


def _once(pairs: Iterable[tuple[str, _Value]]) -> Mapping[str, _Value]:
    """A table of what areas give; a name that two of them give is a mistake in the code."""
    table: dict[str, _Value] = {}
    for name, value in pairs:
        if name in table:
            raise ValueError(f"two areas give {name}")
        table[name] = value
    return MappingProxyType(table)


def _together(pairs: Iterable[tuple[str, Judge]]) -> Mapping[str, Judge]:
    """The judges of all areas; those of one claim answer it together, entry by entry."""
    parts: dict[str, list[Judge]] = {}
    for claim, judge in pairs:
        parts.setdefault(claim, []).append(judge)
    return MappingProxyType({claim: merged(*judges) for claim, judges in parts.items()})


JUDGES: Mapping[str, Judge] = _together(
    (
        *_FIRST_JUDGES.items(),
        *(pair for area in _AREAS for pair in area.JUDGES.items()),
    )
)

SCENARIOS: Mapping[str, Scenario] = _once(
    (one.name, one)
    for one in (*scenarios.SCENARIOS, *(one for area in _AREAS for one in area.SCENARIOS))
)

SNAPSHOTS: Mapping[str, Snapshot] = _once(
    pair for area in (hook_inputs, transcripts) for pair in area.SNAPSHOTS.items()
)
"""Of claims whose value is a digest: what it is the digest of."""


WAITING: Mapping[str, str] = MappingProxyType(
    {
        "hooks.timeout.default": "hook_runs.no_limit",
        "mcp.slow_server": "servers.slow",
        "hooks.timeout.effect": "hook_runs.too_slow",
        "hooks.timeout.key": "limits",
    }
)
"""Of claims about time: the scenario that mostly waits, longest first. See `Sessions.begin`."""


def sessions_of(release: Release, host: Environment, folder: Path) -> Sessions:
    """One attempt on a release; its scenes lie below `folder`, which is empty."""
    return Sessions(release, host, folder, SCENARIOS)


def observe(claim: str, sessions: SessionsByName) -> Attempt:
    """One asking of one claim; `KeyError` where it has no judge.

    A failed control, and a session that proves nothing, give no answer.
    """
    try:
        judged = JUDGES[claim](sessions)
    except SessionUseless as error:
        outcome = Outcome.BLOCKED if error.blocked else Outcome.INCONCLUSIVE
        return Attempt(outcome, reason=error.reason)
    return attempt_of(judged)


def attempt_of(judged: Judged) -> Attempt:
    """What a judge said as one attempt; without a value it is none."""
    controls = Controls(positive=judged.positive, negative=judged.negative)
    if judged.value is None:
        return Attempt(Outcome.INCONCLUSIVE, controls, reason=judged.reason)
    return Attempt(Outcome.OBSERVED, controls, judged.value, evidence=digest(judged.facts))
