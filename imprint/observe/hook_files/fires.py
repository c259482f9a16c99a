"""Judges: what fires when a session is resumed, ends, or starts a subagent."""

from collections.abc import Mapping
from os.path import realpath

from imprint.observe.judged import (
    NOT_RUN,
    Judged,
    SessionsByName,
    agreed,
    nothing_strange,
    unjudged,
    yes_or_no,
)
from imprint.observe.marks import Mark
from imprint.observe.sessions import Seen
from imprint.observe.subagents import SUBAGENT_TURNS

_STOP = {"pascal": "Stop", "camel": "agentStop"}

Table = dict[str, str | int | float]


def resume(sessions: SessionsByName) -> Judged:
    """SessionStart in a session that began before, whose earlier answer the model is shown."""
    begun = sessions["transcripts.begun"]
    seen = {
        "resume": sessions["transcripts.resumed"],
        "continue": sessions["transcripts.continued"],
    }
    if not begun.runs_of("sessionStart"):
        return unjudged(NOT_RUN)
    value: Table = {}
    for way, one in seen.items():
        starts = one.runs_of("sessionStart")
        value[way] = yes_or_no(bool(starts))
        source = starts[0].payload.get("source") if starts else None
        if isinstance(source, str):
            value[f"{way}_source"] = source
    return Judged(
        value,
        dict(value),
        positive=all(one.reached_model(begun.words.answer) for one in seen.values()),
        negative=nothing_strange(begun, *seen.values()),
    )


def subagent_stop(sessions: SessionsByName) -> Judged:
    """The runs of Stop beside the session's own, in sessions whose subagent ran."""
    seen = {spelling: sessions[f"hook_inputs.{spelling}"] for spelling in _STOP}
    stops = {spelling: one.runs_of(_STOP[spelling]) for spelling, one in seen.items()}
    ran = {spelling: runs for spelling, runs in stops.items() if runs}
    if not ran:
        return unjudged(NOT_RUN)
    kinds = {spelling: _stop_of_subagent(seen[spelling], runs) for spelling, runs in ran.items()}
    return Judged(
        agreed(kinds.values()),
        kinds,
        positive=all(subagent_ran(seen[spelling]) for spelling in ran),
        negative=nothing_strange(*seen.values()),
        reason="spellings-differ",
    )


def subagent_ran(seen: Seen) -> bool:
    """Whether the subagent's conversation, the second of the scripts, came to its last turn."""
    asked = {one.turn for one in seen.answered if one.script == 1}
    return SUBAGENT_TURNS - 1 in asked


def _stop_of_subagent(seen: Seen, runs: tuple[Mark, ...]) -> str | None:
    main = seen.result.facts.session_id
    if not main:
        return None
    others = [run.payload for run in runs if _session(run.payload) != main]
    if not others:
        return "none" if len(runs) == 1 else "other"
    return agreed(_kind(payload, str(seen.result.transcript)) for payload in others)


def _kind(payload: Mapping[str, object], transcript: str) -> str:
    session, path = _session(payload), _path(payload)
    if session.startswith("call_") and not path:
        return "call-id-empty-path"
    agent = payload.get("agent_id", payload.get("agentId"))
    if session == agent and path and realpath(path) == realpath(transcript):
        return "agent-id-parent-path"
    return "other"


def _session(payload: Mapping[str, object]) -> str:
    return str(payload.get("session_id") or payload.get("sessionId") or "")


def _path(payload: Mapping[str, object]) -> str:
    return str(payload.get("transcript_path") or payload.get("transcriptPath") or "")


def with_a_subagent(sessions: SessionsByName) -> Judged:
    """Of the events that a prompt or a subagent causes, those that fired; of others, that they did.

    What causes a notification or a request for permission is the release's own affair: that
    such an event did not fire answers nothing.
    """
    seen = sessions["hook_inputs.camel"]
    if not subagent_ran(seen):
        return unjudged("no-subagent")
    caused = ("subagentStart", "subagentStop", "userPromptTransformed")
    value: Table = {event: yes_or_no(bool(seen.runs_of(event))) for event in caused}
    uncaused = ("permissionRequest", "notification")
    value |= {event: "yes" for event in uncaused if seen.runs_of(event)}
    return Judged(
        value,
        dict(value),
        positive=bool(seen.runs_of("agentStop")),
        negative=nothing_strange(seen),
    )


def session_end(sessions: SessionsByName) -> Judged:
    """How often it fired in sessions that came to their end, with a subagent behind and without."""
    plain, behind = sessions["camel.top"], sessions["hook_files.background"]
    value: Table = {"prompt": len(plain.runs_of("sessionEnd"))}
    # Where it fires at all: a count of none may be a hook that does not run.
    if value["prompt"] and subagent_ran(behind):
        value["background_subagent"] = len(behind.runs_of("sessionEnd"))
    return Judged(
        value,
        dict(value),
        positive=bool(plain.runs_of("agentStop")),
        negative=nothing_strange(plain, behind),
    )
