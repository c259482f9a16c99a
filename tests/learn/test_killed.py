"""Killed at any point, or two at once: nothing is lost, nothing doubled, nothing hangs."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from imprint import hook_entry
from imprint.base.paths import Environment
from imprint.hook_entry import read_digest
from imprint.learn.spool_folder import pending
from imprint.memory import Memory
from tests.capabilities import needs_fork
from tests.learn.child import KILLED
from tests.learn.support import Home, Transcript

CHECKOUT = Path(__file__).parents[2]
DEADLINE = 60.0

STEPS = [
    "imprint.learn.run:LearnRun.__enter__",
    "imprint.learn.run:learn_session",
    "imprint.learn.session:resume",
    "imprint.memory.importing:SessionImport.__init__",
    "imprint.memory.importing:SessionImport.add_turn",
    "imprint.memory.importing:SessionImport.add_work",
    "imprint.memory.importing:SessionImport.finish",
    "imprint.memory.importing:SessionImport.close",
    "imprint.learn.run:LearnRun._note",
    "imprint.learn.run:prepare_digests",
    "imprint.memory.digest:_put",
    "imprint.learn.run:_DueDigests.clear",
    "imprint.learn.skipped:SkippedSessions.save",
]


def start(home: Home, job: str, step: str = "-", when: str = "before", number: int = 1):
    """A learning process."""
    root = home.world.home.parent
    command = [sys.executable, "-m", "tests.learn.child", str(root), job, step, when, str(number)]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    return subprocess.Popen(command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE)


def prepare(home: Home) -> None:
    """Two sessions to learn, of which one is announced in the spool, and one to skip."""
    for name in ("s", "t"):
        transcript = Transcript(name).start(f"/home/me/{name}").turn("a", "b")
        transcript.tool("bash", {"command": "make"}).turn("c", f"heron {name}")
        path = home.put(name, transcript.stop())
        entry: dict[str, object] = {"version": 1, "transcript_path": str(path), "received_ns": 1}
        folder = home.world.layout().spool
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_bytes(hook_entry.encode_json(entry).encode())
    home.put("u", Transcript("u").start(None).turn("x", "y"))


def check(home: Home, job: str) -> None:
    """Everything is there once, whatever happened before."""
    for name in ("s", "t"):
        assert home.texts(name) == ["a", "b", "c", f"heron {name}"]
        assert home.work(name) == [("command", "make")]
        digests = str(home.world.layout().digests)
        assert f"heron {name}" in read_digest(digests, f"/home/me/{name}")
    assert len(home.memory.search("heron")) == 2
    assert not (home.world.layout().digests / ".due").exists()
    if job == "drain":
        assert pending(home.world.layout()) == []


@pytest.mark.parametrize(
    ("job", "when"), [("drain", "before"), ("drain", "after"), ("scan", "after")]
)
@pytest.mark.parametrize("step", STEPS)
def test_the_next_run_completes_what_a_killed_one_began(
    home: Home, step: str, when: str, job: str
) -> None:
    prepare(home)
    with start(home, job, step, when) as child:
        assert child.wait(DEADLINE) == KILLED
    with start(home, job) as child:
        assert child.wait(DEADLINE) == 0
    check(home, job)


@needs_fork
@pytest.mark.parametrize("step", [*STEPS[3:9], "imprint.learn.ahead:_receive"])
def test_the_next_run_completes_what_one_began_that_was_read_ahead(home: Home, step: str) -> None:
    prepare(home)
    with start(home, "ahead", step, "after") as child:
        assert child.wait(DEADLINE) == KILLED
    with start(home, "ahead") as child:  # what read ahead holds the lock no longer
        assert child.wait(DEADLINE) == 0
    check(home, "ahead")


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_entry_stays_until_its_import_is_complete(home: Home, when: str, number: int) -> None:
    prepare(home)
    step = "imprint.learn.spool:_Drain._remove"
    with start(home, "drain", step, when, number) as child:
        assert child.wait(DEADLINE) == KILLED
    left = len(pending(home.world.layout()))
    assert left == 2 - number + (when == "before")
    with start(home, "drain") as child:
        assert child.wait(DEADLINE) == 0
    check(home, "drain")


def test_two_at_once_do_not_double_and_do_not_hang(home: Home) -> None:
    prepare(home)
    children = [start(home, job) for job in ("scan", "drain", "scan", "drain")]
    said = [child.communicate(timeout=DEADLINE)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0, 0, 0]
    assert sum(int(turns) for turns in said) == 8
    check(home, "drain")


def test_turns_that_are_written_while_several_learn_are_all_learned(home: Home) -> None:
    transcript = Transcript().start()
    path = home.put("s", transcript)
    children = []
    for number in range(12):
        transcript.turn(f"q{number}", f"a{number}")
        with path.open("ab") as file:
            file.write(b"".join(transcript.lines[-4:]))
        if number % 3 == 0:
            children.append(start(home, "scan"))
    for child in children:
        assert child.wait(DEADLINE) == 0
        child.communicate()
    home.learn()
    expected = [f"{kind}{number}" for number in range(12) for kind in "qa"]
    assert home.texts("s") == expected


def test_a_killed_holder_of_the_lock_blocks_nobody(home: Home) -> None:
    prepare(home)
    with start(home, "drain", "imprint.learn.session:resume") as child:
        assert child.wait(DEADLINE) == KILLED
    started = time.monotonic()
    with start(home, "drain") as child:
        assert child.wait(DEADLINE) == 0
    assert time.monotonic() - started < 30
    check(home, "drain")


def test_the_store_is_consistent_after_every_kill(world: Environment, tmp_path: Path) -> None:
    with Memory.open(world.layout().store) as memory:
        home = Home(world, memory)
        transcript = Transcript().start()
        for number in range(30):
            transcript.turn(f"q{number}", f"a{number}")
        home.put("s", transcript)
        for number in (1, 7, 31, 60):
            step = "imprint.memory.importing:SessionImport.add_turn"
            with start(home, "scan", step, "after", number) as child:
                assert child.wait(DEADLINE) == KILLED
            assert home.session("s") is None
            assert memory.search("q3") == []
        home.learn()
        assert len(home.texts("s")) == 60
