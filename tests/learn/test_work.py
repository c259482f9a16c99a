"""Work records: files, commands, failures, and the list of modified files."""

import io
import json

import pytest

from imprint.learn.events import ToolFailed, ToolStart
from imprint.learn.policy import Pause, Policy
from imprint.learn.reader import REPEATS, TranscriptReader
from tests.learn.support import Home, Transcript

pytestmark = pytest.mark.usefixtures("here_and_ahead")


def done(home: Home, transcript: Transcript) -> list[tuple[str, str]]:
    """The work records that are learned of a transcript."""
    home.put("s", transcript)
    home.learn()
    return home.work("s")


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("view", {"path": "/a/b.py"}, ("read", "/a/b.py")),
        ("read_file", {"filePath": "c:\\a\\b.py"}, ("read", "c:\\a\\b.py")),
        ("read_file", {"file_path": "/a"}, ("read", "/a")),
        ("create", {"path": "/a", "file_text": "x"}, ("write", "/a")),
        ("edit", {"path": "/a", "old_str": "x", "new_str": "y"}, ("write", "/a")),
        ("str_replace_editor", {"command": "view", "path": "/a"}, ("read", "/a")),
        ("str_replace_editor", {"command": "create", "path": "/a"}, ("write", "/a")),
        ("bash", {"command": "make test"}, ("command", "make test")),
        ("functions.bash", {"command": "make"}, ("command", "make")),
        ("powershell", {"command": "Get-Item ."}, ("command", "Get-Item .")),
        ("Edit", {"path": "/a", "old_string": "x"}, ("write", "/a")),
    ],
)
def test_a_tool_call_is_one_record(
    home: Home, name: str, arguments: dict[str, str], expected: tuple[str, str]
) -> None:
    assert done(home, Transcript().start().user("go").tool(name, arguments)) == [expected]


@pytest.mark.parametrize("name", ["report_intent", "task", "glob", "imprint-recall", "skill"])
def test_other_tools_leave_no_record(home: Home, name: str) -> None:
    arguments = {"query": "x", "prompt": "x"}
    assert done(home, Transcript().start().user("go").tool(name, arguments)) == []


def test_arguments_are_read_under_either_name_as_string_or_object(home: Home) -> None:
    transcript = Transcript().start().user("go")
    for key, value in (
        ("arguments", {"path": "/1"}),
        ("arguments", json.dumps({"path": "/2"})),
        ("args", {"path": "/3"}),
        ("args", json.dumps({"path": "/4"})),
    ):
        call = {"toolCallId": f"c{value}", "toolName": "view", key: value}
        transcript.event("tool.execution_start", call)
    assert done(home, transcript) == [("read", f"/{number}") for number in range(1, 5)]


def test_a_patch_names_its_files(home: Home) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n"
    transcript = Transcript().start().user("go").tool("apply_patch", patch)
    assert done(home, transcript) == [("write", "a.py"), ("write", "b.py")]


def test_a_call_that_never_ended_is_kept_as_started(home: Home) -> None:
    transcript = Transcript().start().user("go")
    call = {"toolCallId": "c", "toolName": "bash", "arguments": {"command": "sleep 99"}}
    assert done(home, transcript.event("tool.execution_start", call)) == [("command", "sleep 99")]


def test_an_edit_keeps_the_text_that_it_replaced(home: Home) -> None:
    arguments = {"path": "/a", "old_str": "retries = 3", "new_str": "retries = 5"}
    done(home, Transcript().start().user("go").tool("edit", arguments))
    [hit] = home.memory.search("retries", kinds=("write",))
    assert hit.text.endswith("- retries = 3\n+ retries = 5")


def test_a_failed_tool_is_found_by_its_error(home: Home) -> None:
    transcript = Transcript().start().user("go")
    transcript.tool("view", {"path": "/nope"}, success=False, result="ENOENT: no such file")
    assert done(home, transcript) == [("read", "/nope"), ("failure", "view: /nope")]
    [hit] = home.memory.search("ENOENT", kinds=("failure",))
    assert hit.text.endswith("ENOENT: no such file")


def test_a_command_that_failed_is_found_by_the_end_of_its_output(home: Home) -> None:
    output = "noise\n" * 2000 + "E404 not found\n<exited with exit code 1>"
    transcript = Transcript().start().user("go").tool("bash", {"command": "npm i"}, result=output)
    assert done(home, transcript) == [("command", "npm i"), ("failure", "bash: npm i")]
    [hit] = home.memory.search("E404", kinds=("failure",))
    assert hit.text.endswith("E404 not found\n<exited with exit code 1>")
    assert len(hit.text) < 2100


def test_a_failure_names_its_tool_if_it_ended_in_a_later_import(home: Home) -> None:
    transcript = Transcript().start().user("go")
    call = {"toolCallId": "c", "toolName": "bash", "arguments": {"command": "make"}}
    done(home, transcript.event("tool.execution_start", call))
    end = {"toolCallId": "c", "success": False, "error": {"message": "E1"}}
    transcript.event("tool.execution_complete", end)
    assert done(home, transcript) == [("command", "make"), ("failure", "bash: make")]


def test_the_output_of_a_tool_that_worked_is_not_learned(home: Home) -> None:
    transcript = Transcript().start().user("go")
    transcript.tool("bash", {"command": "env"}, result="TOKEN=******\n<exited with exit code 0>")
    done(home, transcript)
    kinds = ("user", "assistant", "read", "write", "command", "failure", "modified")
    assert home.memory.search("TOKEN", kinds=kinds) == []


def test_the_files_that_a_session_modified_are_listed_at_its_end(home: Home) -> None:
    changes = {"linesAdded": 1, "linesRemoved": 0, "filesModified": ["/a/ünï 日本.txt", "/b"]}
    transcript = Transcript().start().user("go")
    transcript.event("session.shutdown", {"shutdownType": "routine", "codeChanges": changes})
    assert done(home, transcript) == [("modified", "/a/ünï 日本.txt"), ("modified", "/b")]


def test_the_work_of_subagents_is_the_sessions_work(home: Home) -> None:
    call = {"toolCallId": "c", "toolName": "create", "arguments": {"path": "/a"}}
    transcript = Transcript().start().user("go")
    transcript.event("tool.execution_start", call, agentId="a1")
    assert done(home, transcript) == [("write", "/a")]


def test_work_before_the_first_words_is_kept_if_somebody_speaks(home: Home) -> None:
    transcript = Transcript().start().tool("view", {"path": "/early"}).answer("read it")
    assert done(home, transcript) == [("read", "/early")]


def test_work_is_not_shown_unless_it_is_asked_for(home: Home) -> None:
    done(home, Transcript().start().user("go").tool("bash", {"command": "frobnicate"}))
    assert home.memory.search("frobnicate") == []
    assert len(home.memory.search("frobnicate", kinds=("command",))) == 1


def test_what_was_done_again_and_again_is_one_record(home: Home) -> None:
    transcript = Transcript().start().user("go")
    for _ in range(3):
        transcript.tool("view", {"path": "/a"}).tool("bash", {"command": "make"})
    assert done(home, transcript) == [("read", "/a"), ("command", "make")]
    transcript.user("again").tool("view", {"path": "/a"}).tool("view", {"path": "/b"})
    assert done(home, transcript) == [("read", "/a"), ("command", "make"), ("read", "/b")]


def test_edits_of_one_file_with_other_words_are_several_records(home: Home) -> None:
    transcript = Transcript().start().user("go")
    for number in range(2):
        transcript.tool("edit", {"path": "/a", "old_str": f"x{number}", "new_str": "y"})
    assert done(home, transcript) == [("write", "/a"), ("write", "/a")]


def handed_out(transcript: Transcript) -> list[tuple[str, str]]:
    """Type and id of the tool events, by a reader that skips what it is told to."""
    reader = TranscriptReader(io.BytesIO(transcript.bytes))
    found = []
    for _, event_id, event in reader.read():
        found.append((type(event).__name__, event_id))
        if isinstance(event, ToolStart):
            reader.skip_repeats(event)
    assert reader.events == len(transcript.lines)
    return found


def test_a_call_that_comes_again_word_for_word_is_handed_out_once() -> None:
    transcript = Transcript()
    for turn in range(3):
        for command in ("make", "make test"):
            transcript.tool("bash", {"command": command}, turnId=str(turn), model="m")
    transcript.tool("bash", {"command": "make"}, mcpServerName="other")
    starts = [transcript.ids[index] for index in (0, 2, 12)]
    assert handed_out(transcript) == [("ToolStart", number) for number in starts]


def test_a_call_that_comes_again_and_fails_then_is_known_with_what_it_tried() -> None:
    transcript = Transcript().tool("bash", {"command": "make"}).tool("view", {"path": "/a"})
    transcript.tool("bash", {"command": "make"}, result="<exited with exit code 2>")
    transcript.tool("view", {"path": "/a"}, success=False, result="gone")
    reader = TranscriptReader(io.BytesIO(transcript.bytes))
    failed = []
    for _, _, event in reader.read():
        if isinstance(event, ToolStart):
            reader.skip_repeats(event)
        else:
            assert isinstance(event, ToolFailed)
            failed.append(event)
    assert [event.started.data.tool_name for event in failed if event.started] == ["bash", "view"]
    assert [event.started.id for event in failed if event.started] == [
        transcript.ids[index] for index in (4, 6)
    ]


def test_more_different_calls_than_are_remembered_are_all_handed_out() -> None:
    transcript = Transcript()
    for number in range(REPEATS + 2):
        transcript.tool("view", {"path": f"/{number}"})
    assert len(handed_out(transcript)) == REPEATS + 2


def test_work_that_was_undone_and_is_done_again_is_learned(home: Home) -> None:
    transcript = Transcript().start().turn("a", "b").user("undone")
    undone = transcript.ids[-1]
    transcript.tool("bash", {"command": "make"}).tool("bash", {"command": "make"})
    transcript.event("session.snapshot_rewind", {"upToEventId": undone, "eventsRemoved": 5})
    transcript.tool("bash", {"command": "make"}).user("c")
    assert done(home, transcript) == [("command", "make")]
    assert home.texts("s") == ["a", "b", "c"]


def test_work_of_a_pause_is_learned_when_it_is_done_after_it(home: Home) -> None:
    transcript = Transcript().start().user("before")
    begin = transcript.now.timestamp() + 0.5
    transcript.tool("bash", {"command": "make"})
    pauses = (Pause(begin, transcript.now.timestamp() + 0.5),)
    transcript.tool("bash", {"command": "make"}).user("after")
    home.put("s", transcript)
    home.learn(policy=Policy(pauses=pauses))
    assert home.work("s") == [("command", "make")]
    assert home.texts("s") == ["before", "after"]
