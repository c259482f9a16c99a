"""MCP servers: an answer needs a server that starts, and one that never may."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from imprint.compat import Attempt, Outcome, Value, row_of, shipped_catalogue
from imprint.compat.evidence import Evidence
from imprint.observe import observe
from imprint.observe.scene import Scene
from imprint.observe.servers.forms import HOSTS, write_form
from imprint.observe.servers.scenes import (
    ADDED,
    DELAYS,
    EXPANDED,
    REPOSITORY_FILES,
    SERVER,
    TOOL,
    VARIABLE,
    delayed_tool,
    file_to_rewrite,
)
from tests.observe.made import Made, request, touch

PLAIN, SLOW = "servers.plain", "servers.slow"
NAME = f"{SERVER}-{TOOL}"
OF_PLAIN = ("tool_name", "call", "instructions", "env", "disabled_list")


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def ask(made: Made, what: str) -> Attempt:
    claim = f"mcp.{what}"
    found = observe(claim, made)
    if found.value is not None:
        assert shipped_catalogue()[claim].objections(found.value) == ()
    return found


def outcome(attempt: Attempt) -> Outcome:
    """Of a row with this one attempt: what fails a control is no answer."""
    return row_of("mcp.call", Evidence.LIVE_OFFLINE, [attempt]).outcome


def given(scene: Scene, label: str, *arguments: str, **variables: str) -> None:
    """What a server says that it was given; it has also started."""
    text = json.dumps({"arguments": arguments, "variables": variables})
    (scene.marks / f"{label}.given").write_text(text, encoding="utf-8")
    touch(scene, f"{label}.started")


def plain(made: Made, *labels: str, heard: tuple[str, ...] = ("answer",)) -> Scene:
    """The plain file's session: its server, and others that have started; nothing is expanded."""
    scene = made.scene(PLAIN)
    everything = {**scene.scratch.variables(), VARIABLE: scene.word("variable")}
    for label in ("plain", "variables", *labels):
        given(scene, label, **everything)
    touch(scene, "plain.called")
    words = [("tool", scene.word(key)) for key in heard]
    made.give(PLAIN, scene, request(tools=[NAME]), request(*words, tools=[NAME]))
    return scene


def test_a_server_that_starts_and_answers_is_seen_to(made: Made) -> None:
    plain(made)
    found = {what: ask(made, what) for what in OF_PLAIN}
    assert {what: one.value for what, one in found.items()} == {
        "tool_name": "<server>-<tool>",
        "call": "yes",
        "instructions": "no",
        "env": {
            "inherits": "all-but-its-own",
            "expands_command": "no",
            "expands_args": "no",
            "expands_env": "no",
        },
        "disabled_list": "yes",
    }
    assert {outcome(one) for one in found.values()} == {Outcome.OBSERVED}


def test_what_is_expanded_and_said_and_not_disabled_is_seen_too(made: Made) -> None:
    scene = plain(made, "commanded", "sleeper", heard=("answer", "said"))
    word = scene.word("variable")
    given(scene, "variables", f"--word={word}", **{EXPANDED: word})
    assert ask(made, "instructions").value == "yes"
    assert ask(made, "disabled_list").value == "no"
    found = ask(made, "env").value
    assert isinstance(found, dict)
    assert {found[f"expands_{what}"] for what in ("command", "args", "env")} == {"yes"}


@pytest.mark.parametrize(
    ("names", "inherits"),
    [
        ((), "none"),
        (("HOME",), "some"),
        (("COPILOT_OFFLINE", "COPILOT_PROVIDER_BASE_URL", "*"), "all"),
    ],
)
def test_what_a_server_inherits(made: Made, names: tuple[str, ...], inherits: str) -> None:
    scene = plain(made)
    everything = {**scene.scratch.variables(), VARIABLE: scene.word("variable")}
    kept = {name: everything.get(name, "true") for name in names if name != "*"}
    given(scene, "plain", **(kept if "*" not in names else {**everything, **kept}))
    found = ask(made, "env").value
    assert isinstance(found, dict)
    assert found["inherits"] == inherits


def test_a_server_that_never_starts_answers_nothing(made: Made) -> None:
    scene = made.scene(PLAIN)
    made.give(PLAIN, scene, request())
    assert {outcome(ask(made, what)) for what in OF_PLAIN} == {Outcome.INCONCLUSIVE}


def test_a_server_that_must_not_start_spoils_every_answer(made: Made) -> None:
    plain(made, "beside")
    assert {outcome(ask(made, what)) for what in OF_PLAIN} == {Outcome.INCONCLUSIVE}


def test_a_call_without_an_answer_is_none(made: Made) -> None:
    plain(made, heard=())
    assert ask(made, "call").value == "no"


def slow(made: Made, *first: str, spawned: tuple[str, ...] = tuple(DELAYS)) -> None:
    scene = made.scene(SLOW)
    for name in spawned:
        given(scene, delayed_tool(name))
    tools = [f"x-{tool}" for tool in first]
    late = [f"x-{delayed_tool(name)}" for name in DELAYS]
    made.give(SLOW, scene, request(tools=tools), request(tools=late))


def test_a_slow_server_counts_in_the_first_request_alone(made: Made) -> None:
    slow(made, "at_once_tool", delayed_tool("0.5"))
    found = ask(made, "slow_server")
    assert found.value == {"0.5": "yes", "2": "no", "20": "no"}
    assert outcome(found) is Outcome.OBSERVED


def test_where_no_server_is_offered_at_once_slowness_is_not_judged(made: Made) -> None:
    slow(made)
    assert outcome(ask(made, "slow_server")) is Outcome.INCONCLUSIVE
    slow(made, "at_once_tool", spawned=())
    assert ask(made, "slow_server").reason == "server-did-not-start"


def formed(made: Made, *started: str, failed: tuple[str, ...] = ()) -> None:
    """Sessions of every form; in those that are named the server starts, or no turn is run."""
    for form, name in HOSTS.items():
        scene = made.scene(name)
        if form in started:
            touch(scene, "form.started")
        made.give(name, scene, *([] if form in failed else [request()]), exit_code=form in failed)


def test_a_form_is_taken_where_its_server_starts(made: Made) -> None:
    plain(made)
    formed(made, "comment", "args_missing", failed=("invalid",))
    found = ask(made, "tolerance")
    assert found.value == {
        "comment": "taken",
        "trailing_comma": "ignored",
        "bom": "ignored",
        "invalid": "start-fails",
        "servers_key": "ignored",
    }
    assert outcome(found) is Outcome.OBSERVED
    assert ask(made, "invalid_sibling").value == "yes"
    assert ask(made, "args_required").value == "yes"


def test_a_form_whose_session_proves_nothing_has_no_answer(made: Made) -> None:
    plain(made)
    formed(made, "invalid_sibling")
    made.useless(HOSTS["comment"], "timed-out")
    found = ask(made, "tolerance").value
    assert isinstance(found, dict)
    assert "comment" not in found
    assert ask(made, "invalid_sibling").value == "no"
    made.useless(HOSTS["args_missing"], "timed-out")
    assert ask(made, "args_required").reason == "timed-out"


def test_forms_prove_nothing_where_the_plain_file_does_not_work(made: Made) -> None:
    made.give(PLAIN, made.scene(PLAIN), request())
    formed(made)
    claims = ("tolerance", "invalid_sibling", "args_required")
    assert {outcome(ask(made, what)) for what in claims} == {Outcome.INCONCLUSIVE}


def test_every_form_but_the_invalid_one_differs_from_json_by_its_quirk_alone(made: Made) -> None:
    scene = made.scene(PLAIN)
    texts: dict[str, str] = {}
    for form in HOSTS:
        write_form(scene, form)
        texts[form] = (scene.scratch.copilot / "mcp-config.json").read_text("utf-8")
    for form in ("invalid_sibling", "args_missing"):
        assert "ours" in json.loads(texts[form])["mcpServers"]
    assert "ours" in json.loads(texts["servers_key"])["servers"]
    assert "ours" in json.loads(texts["bom"].removeprefix("\ufeff"))["mcpServers"]
    for form in ("comment", "trailing_comma", "invalid", "bom"):
        with pytest.raises(json.JSONDecodeError):
            json.loads(texts[form])


def reads(made: Made, name: str, *files: str) -> None:
    """A session in which the servers of these files of the repository start."""
    scene = made.scene(name) if name != PLAIN else plain(made)
    touch(scene, *(f"{REPOSITORY_FILES[file]}.started" for file in files))
    if name != PLAIN:
        made.give(name, scene, request())


def test_a_file_of_a_repository_is_read_always_or_with_trust_or_never(made: Made) -> None:
    reads(made, PLAIN)
    reads(made, "places.allow-true", ".mcp.json")
    found = ask(made, "repo_file")
    assert found.value == {".mcp.json": "trusted-only", ".github/mcp.json": "never"}
    assert outcome(found) is Outcome.OBSERVED
    reads(made, PLAIN, ".mcp.json")
    reads(made, "places.allow-true", ".mcp.json", ".github/mcp.json")
    both = {".mcp.json": "always", ".github/mcp.json": "trusted-only"}
    assert ask(made, "repo_file").value == both


def test_only_where_trust_is_not_enough_the_variable_is_tried(made: Made) -> None:
    reads(made, PLAIN)
    reads(made, "places.allow-true")
    reads(made, "servers.by-variable", ".mcp.json")
    both: Value = {".mcp.json": "variable-only", ".github/mcp.json": "never"}
    assert ask(made, "repo_file").value == both


def test_where_no_file_of_a_repository_is_read_nothing_is_proven(made: Made) -> None:
    for name in (PLAIN, "places.allow-true", "servers.by-variable"):
        reads(made, name)
    assert outcome(ask(made, "repo_file")) is Outcome.INCONCLUSIVE


def rewritten(made: Made, *, comment: bool, text: str | None = None, exit_code: int = 0) -> Scene:
    """A file as `mcp add` leaves it: with the server added, unless it is given."""
    name = "servers.add-comment" if comment else "servers.add"
    scene = made.scene(name)
    left = file_to_rewrite(scene, comment=comment) + ADDED if text is None else text
    (scene.scratch.copilot / "mcp-config.json").write_text(left, encoding="utf-8")
    made.give(name, scene, exit_code=exit_code)
    return scene


def test_what_is_kept_in_a_file_that_was_added_to(made: Made) -> None:
    rewritten(made, comment=False)
    rewritten(made, comment=True)
    found = ask(made, "rewrite")
    assert found.value == dict.fromkeys(
        ("unknown_keys", "unknown_entry_keys", "order", "comments"), "yes"
    )
    assert outcome(found) is Outcome.OBSERVED


def test_what_is_lost_in_a_file_that_was_added_to(made: Made) -> None:
    rewritten(made, comment=False, text=f'{ADDED} "aardvark" "middle" "zebra"')
    scene = rewritten(made, comment=True, exit_code=1)
    whole = file_to_rewrite(scene, comment=True)
    (scene.scratch.copilot / "mcp-config.json").write_text(whole, encoding="utf-8")
    assert ask(made, "rewrite").value == {
        "unknown_keys": "no",
        "unknown_entry_keys": "no",
        "order": "no",
        "comments": "refuses",
    }


@pytest.mark.parametrize("text", ["{}", f"{{}} {ADDED}"])
def test_a_file_that_nothing_was_added_to_or_that_is_another_is_no_answer(
    made: Made, text: str
) -> None:
    rewritten(made, comment=False, text=text)
    rewritten(made, comment=True, text="{}")
    assert outcome(ask(made, "rewrite")) is Outcome.INCONCLUSIVE


def test_the_server_serves_as_its_options_say(made: Made) -> None:
    scene = made.scene(PLAIN)
    entry = scene.server("alone", ["--answer=yes", "--instructions=do", "--strange=1", "one"])
    arguments = entry["args"]
    assert isinstance(arguments, list)
    asked = [
        {"method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"method": "tools/list"},
        {"method": "tools/call", "params": {"name": "one"}},
    ]
    lines = (json.dumps({"jsonrpc": "2.0", "id": n, **one}) for n, one in enumerate(asked))
    done = subprocess.run(
        [sys.executable, *arguments],
        input="\n".join(lines),
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=30,
    )
    greeting, tools, call = (json.loads(line)["result"] for line in done.stdout.splitlines())
    assert greeting["instructions"] == "do"
    assert [tool["name"] for tool in tools["tools"]] == ["one"]
    assert call["content"][0]["text"] == "yes"
    assert scene.has_mark("alone.started")
    assert scene.has_mark("alone.called")
    told = json.loads((scene.marks / "alone.given").read_text("utf-8"))
    assert "--strange=1" in told["arguments"]
    assert scene.read_marks() == ()
