"""Judges: where a session's state is, and under which name."""

from imprint.observe.events import Event, read_events
from imprint.observe.judged import Judged, SessionsByName, nothing_strange, unjudged, yes_or_no
from imprint.observe.scenario import PROMPT
from imprint.observe.sessions import Seen
from imprint.observe.transcripts.scenes import RESUMED_PROMPT, chosen_id

_UNKNOWN_OPTION = "unknown option"
_UNKNOWN_SESSION = "no session"

Table = dict[str, str | int | float]


def caller_chosen_id(sessions: SessionsByName) -> Judged:
    """By the flag for it; where that is unknown, by resuming an id that nobody has used."""
    seen = [sessions["transcripts.chosen"]]
    if _is_refused(seen[0], _UNKNOWN_OPTION):
        seen.append(sessions["transcripts.chosen_by_resume"])
    last = seen[-1]
    refused = _is_refused(last, _UNKNOWN_OPTION) or _is_refused(last, _UNKNOWN_SESSION)
    folder = last.result.session_folder
    chosen = folder is not None and folder.name == chosen_id(last.scene)
    return Judged(
        {"flag": yes_or_no(chosen)},
        {"chosen": chosen, "by_flag": len(seen) == 1},
        positive=bool(last.answered) or refused,
        negative=nothing_strange(*seen),
    )


def _is_refused(seen: Seen, complaint: str) -> bool:
    return not seen.answered and complaint in seen.result.stderr.lower()


def cwd(sessions: SessionsByName) -> Judged:
    """In which of the places it is, after a session that was begun and resumed there.

    Nothing here changes a session's directory: of that event only what is seen is told.
    """
    begun, resumed = sessions["transcripts.begun"], sessions["transcripts.resumed"]
    if begun.result.session_folder is None:
        return unjudged("no-session-folder")
    events = read_events(resumed)
    value: Table = {
        "session.start": yes_or_no(_states_cwd(begun, events, "session.start")),
        "session.resume": yes_or_no(_states_cwd(resumed, events, "session.resume")),
        "workspace.yaml": yes_or_no(_is_in_workspace_file(begun)),
    }
    if _states_cwd(resumed, events, "session.context_changed"):
        value["context_changed"] = "yes"
    return Judged(
        value,
        dict(value),
        positive="yes" in value.values() and _continues(begun, resumed),
        negative=nothing_strange(begun, resumed),
    )


def _states_cwd(seen: Seen, events: tuple[Event, ...], kind: str) -> bool:
    return str(seen.scene.work) in {event.cwd for event in events if event.type == kind}


def _is_in_workspace_file(seen: Seen) -> bool:
    folder = seen.result.session_folder
    file = folder / "workspace.yaml" if folder else None
    if file is None or not file.is_file():
        return False
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    stated = (line.partition(":") for line in lines)
    return any((key, value.strip()) == ("cwd", str(seen.scene.work)) for key, _, value in stated)


def resume_appends(sessions: SessionsByName) -> Judged:
    """After a resumed session: one folder, whose transcript holds both prompts."""
    begun, resumed = sessions["transcripts.begun"], sessions["transcripts.resumed"]
    folders = len(list(begun.scene.scratch.sessions.glob("*/events.jsonl")))
    said = {event.text("content") for event in read_events(resumed) if event.type == "user.message"}
    both = {PROMPT, RESUMED_PROMPT} <= said
    return Judged(
        yes_or_no(folders == 1 and both),
        {"folders": folders, "both": both},
        positive=_continues(begun, resumed) and RESUMED_PROMPT in said,
        negative=nothing_strange(begun, resumed),
    )


def _continues(begun: Seen, resumed: Seen) -> bool:
    """The model was shown the earlier answer: it is the same conversation."""
    return resumed.reached_model(begun.words.answer)


def killed(sessions: SessionsByName) -> Judged:
    """The last line after a kill in the middle of a turn, of which the answer is missing."""
    seen = sessions["transcripts.killed"]
    if not seen.runs_of("kill") or seen.result.exit_code == 0:
        return unjudged("not-killed")
    transcript = seen.result.transcript
    data = transcript.read_bytes() if transcript else b""
    value = _last_line(data, len(read_events(seen)))
    return Judged(
        value,
        {"last": value},
        positive=bool(seen.answered),
        negative=nothing_strange(seen) and seen.words.answer.encode("ascii") not in data,
    )


def _last_line(data: bytes, readable: int) -> str:
    if not data:
        return "missing"
    lines = [line for line in data.split(b"\n") if line]
    return "whole" if readable == len(lines) and data.endswith(b"\n") else "partial"
