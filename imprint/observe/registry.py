"""Which judge answers which claim."""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType

import msgspec

from imprint.compat import Attempt, Controls, Outcome
from imprint.observe import names, others, payloads, running
from imprint.observe.judged import Facts, Judge, Judged, SessionsByName
from imprint.observe.sessions import SessionUseless

JUDGES: Mapping[str, Judge] = MappingProxyType(
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


def observe(claim: str, sessions: SessionsByName) -> Attempt:
    """One asking of one claim; `KeyError` where it has no judge.

    A failed control, and a session that proves nothing, give no answer.
    """
    try:
        judged = JUDGES[claim](sessions)
    except SessionUseless as error:
        outcome = Outcome.BLOCKED if error.blocked else Outcome.INCONCLUSIVE
        return Attempt(outcome, reason=error.reason)
    return _attempt(judged)


def _attempt(judged: Judged) -> Attempt:
    controls = Controls(positive=judged.positive, negative=judged.negative)
    if judged.value is None:
        return Attempt(Outcome.INCONCLUSIVE, controls, reason=judged.reason)
    return Attempt(Outcome.OBSERVED, controls, judged.value, evidence=digest(judged.facts))


def digest(facts: Facts) -> str:
    """`sha256:` and the digest of facts as JSON, their keys in order."""
    return f"sha256:{sha256(msgspec.json.encode(facts, order='sorted')).hexdigest()}"
