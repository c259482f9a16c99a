"""Containers are sealed, bounded, and gone afterwards, however they end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from containers.engine import Engine
from containers.errors import ContainerFailed, EngineFailed
from containers.images import OURS, probe_image
from containers.running import OWNER, Order, run, started, sweep
from imprint.base.paths import Environment

pytestmark = pytest.mark.container

LOOK = """
import json, os, pathlib, socket
def attempt(action):
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "done"
def reach(address):
    return lambda: socket.create_connection(address, 2).close()
limit = [p for p in ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max")
         if os.path.exists(p)]
print(json.dumps({
    "user": os.getuid(),
    "interfaces": [name for _, name in socket.if_nameindex()],
    "outside": attempt(reach(("192.0.2.1", 80))),
    "root": attempt(lambda: pathlib.Path("/etc/x").write_text("x")),
    "mount": attempt(lambda: pathlib.Path("/opt/imprint/given/x").write_text("x")),
    "home": attempt(lambda: pathlib.Path("/tmp/x").write_text("x")),
    "memory": pathlib.Path(limit[0]).read_text().strip() if limit else "",
    "privileges": pathlib.Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0],
}))
"""


def ours(engine: Engine) -> set[str]:
    listed = engine.client.containers.list(all=True, filters={"label": f"{OURS}=run"})
    return {str(one.id) for one in listed}


def test_a_run_sees_no_network_writes_nothing_outside_its_home_and_has_no_rights(
    found: Engine, image: str, tmp_path: Path
) -> None:
    tmp_path.chmod(0o777)
    order = Order(image, ("python3", "-c", LOOK), mounts={tmp_path: "/opt/imprint/given"})
    seen = json.loads(run(found, order, 60).stdout)
    assert seen == {
        "user": 1000,
        "interfaces": ["lo"],
        "outside": "OSError",
        "root": "OSError",
        "mount": "OSError",
        "home": "done",
        "memory": str(4 * 1024**3),
        "privileges": "0000000000000000",
    }


def test_streams_and_exit_code_come_back_apart(found: Engine, image: str) -> None:
    ended = run(found, Order(image, ("sh", "-c", "echo out; echo err >&2; exit 7")), 60)
    assert (ended.stdout, ended.stderr, ended.exit_code) == (b"out\n", b"err\n", 7)


def test_a_run_that_takes_too_long_is_an_error_and_its_container_is_gone(
    found: Engine, image: str
) -> None:
    before = ours(found)
    with pytest.raises(ContainerFailed, match="did not end"):
        run(found, Order(image, ("sleep", "60")), 1)
    assert ours(found) <= before


def test_a_container_that_does_not_start_is_gone(found: Engine, image: str) -> None:
    before = ours(found)
    with pytest.raises(EngineFailed, match="can't be started"):
        run(found, Order(image, ("no-such-program",)), 60)
    assert ours(found) <= before


def _fail_beside(engine: Engine, image: str) -> None:
    with started(engine, Order(image, ("sleep", "60"))) as one:
        assert str(one.id) in ours(engine)
        _ = 1 / 0


def test_a_container_is_gone_when_its_user_fails(found: Engine, image: str) -> None:
    before = ours(found)
    with pytest.raises(ZeroDivisionError):
        _fail_beside(found, image)
    assert ours(found) <= before


LEAVE = """
import os, sys
from containers.engine import engine
from containers.running import Order, started
with engine(os.environ) as found:
    with started(found, Order(sys.argv[1], ("sleep", "600"))) as one:
        print(one.id, flush=True)
        sys.stdin.read()
"""


def test_what_a_killed_owner_left_is_swept_away(
    found: Engine, image: str, host: Environment
) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", LEAVE, image],
        env={**host.variables, "DOCKER_HOST": found.address},
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert owner.stdout is not None
    left = owner.stdout.readline().strip()
    owner.kill()
    owner.communicate()
    assert found.client.containers.get(left).labels[OWNER] == str(owner.pid)
    assert sweep(found)
    assert left not in ours(found)


def test_an_image_is_made_once(found: Engine, image: str, host: Environment) -> None:
    assert probe_image(found, host.variables) == image
    assert OURS in found.client.images.get(image).labels
