"""Child processes that end, and leave nobody."""

import os
import subprocess
import sys
import threading
import time

import pytest

from imprint.sandbox import _process
from imprint.sandbox._process import run_bounded
from tests.sandbox.support import alive


def run(text: str, tmp_path, seconds: float = 20.0) -> _process.Finished:
    return run_bounded([sys.executable, "-IS", "-c", text], {}, tmp_path, seconds)


def test_output_and_exit_code_come_back(tmp_path):
    done = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)", tmp_path)
    assert done == _process.Finished(3, "out\n", "err\n", timed_out=False)


def test_broken_utf_8_is_replaced(tmp_path):
    done = run("import os; os.write(1, b'\\xffa')", tmp_path)
    assert done.stdout == "�a"


def test_output_beyond_the_limit_is_dropped_and_does_not_block(tmp_path, monkeypatch):
    monkeypatch.setattr(_process, "OUTPUT_BYTES", 1000)
    done = run("print('x' * 5_000_000)", tmp_path)
    assert done.exit_code == 0
    assert done.stdout == "x" * 1000


def test_a_deadline_ends_the_group_and_those_who_left_it(tmp_path):
    text = (
        "import subprocess, time, sys\n"
        "a = subprocess.Popen(['/bin/sleep', '300'])\n"
        "b = subprocess.Popen(['/bin/sleep', '300'], start_new_session=True)\n"
        "print(a.pid, b.pid, flush=True)\n"
        "time.sleep(300)\n"
    )
    done = run(text, tmp_path, seconds=1.0)
    assert done.timed_out
    assert done.exit_code < 0
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 2
    assert not any(alive(pid) for pid in pids)


def test_who_ignores_the_request_to_end_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(_process, "GRACE_SECONDS", 0.3)
    text = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"
    done = run(text, tmp_path, seconds=0.5)
    assert (done.timed_out, done.exit_code) == (True, -9)


def test_a_detached_importer_outlives_the_deadline_of_the_one_that_started_it(tmp_path):
    text = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    pid = os.posix_spawn('/bin/sleep', ['sleep', '300'], {}, setsid=True,\n"
        "        file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0)\n"
        "                      for fd in (0, 1, 2)])\n"
        "    print(pid, flush=True)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "time.sleep(300)\n"
    )
    done = run(text, tmp_path, seconds=1.0)
    importer = int(done.stdout)
    try:
        assert done.timed_out
        assert alive(importer)
    finally:
        os.kill(importer, 9)


def test_what_is_left_in_the_group_neither_holds_the_result_nor_lives_on(tmp_path, monkeypatch):
    monkeypatch.setattr(_process, "DRAIN_SECONDS", 0.2)
    text = "import subprocess; print(subprocess.Popen(['/bin/sleep', '300']).pid, flush=True)"
    began = time.monotonic()
    done = run(text, tmp_path)
    assert time.monotonic() - began < 10
    assert (done.exit_code, done.timed_out) == (0, False)
    assert not alive(int(done.stdout))


def test_no_thread_is_left_behind(tmp_path):
    before = threading.active_count()
    run("print('x')", tmp_path)
    assert threading.active_count() == before


def test_a_program_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        run_bounded(["/no/such/program"], {}, tmp_path, 1.0)


def test_an_interrupt_ends_the_child_too(tmp_path, monkeypatch):
    process = subprocess.Popen(
        ["/bin/sleep", "300"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )

    def interrupted(*_: object) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _process.finish(process, time.monotonic() + 5)
    assert process.returncode == -15
