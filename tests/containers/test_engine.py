"""An engine is found where it was said to be, else in the usual places; or the error says where."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from containers.engine import EngineKind, addresses, engine, find, identify
from containers.errors import EngineTooOld, NoEngine

NOBODY = 987654


@pytest.fixture
def no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No Docker configuration of whoever runs the tests."""
    monkeypatch.setattr("docker.utils.config.home_dir", lambda: str(tmp_path))
    monkeypatch.delenv("DOCKER_CONFIG", raising=False)
    return tmp_path


@pytest.mark.parametrize("name", ["DOCKER_HOST", "CONTAINER_HOST"])
def test_a_variable_that_is_set_is_the_only_answer(name: str) -> None:
    assert addresses({name: "unix:///there"}, NOBODY) == (("unix:///there", name),)


def test_dockers_variable_goes_before_podmans() -> None:
    both = {"CONTAINER_HOST": "unix:///podman", "DOCKER_HOST": "unix:///docker"}
    assert addresses(both, NOBODY)[0][0] == "unix:///docker"


def test_sockets_of_the_users_runtime_folder_are_found_when_they_are_sockets(
    no_home: Path,
) -> None:
    (no_home / "podman").mkdir()
    (no_home / "docker.sock").write_text("no socket", encoding="utf-8")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(no_home / "podman" / "podman.sock"))
        found = [address for address, _ in addresses({"XDG_RUNTIME_DIR": str(no_home)}, NOBODY)]
    assert f"unix://{no_home}/podman/podman.sock" in found
    assert f"unix://{no_home}/docker.sock" not in found


def test_podman_is_known_by_its_components() -> None:
    podman = {"Version": "4.3.1", "Components": [{"Name": "Podman Engine", "Version": "4.3.1"}]}
    assert identify(podman) == (EngineKind.PODMAN, "4.3.1")


def test_docker_is_known_by_its_version() -> None:
    docker = {"Version": "28.2.2", "Components": [{"Name": "Engine", "Version": "28.2.2"}]}
    assert identify(docker) == (EngineKind.DOCKER, "28.2.2")


def test_the_error_names_every_place_that_was_tried_and_why_it_failed(tmp_path: Path) -> None:
    places = [(f"unix://{tmp_path}/{name}.sock", "a test") for name in ("one", "two")]
    with pytest.raises(NoEngine) as raised:
        find(places)
    assert "one.sock" in raised.value.message
    assert "two.sock" in raised.value.message
    assert "No such file" in raised.value.message
    assert "DOCKER_HOST" in raised.value.fix


def test_without_any_place_the_error_says_so() -> None:
    with pytest.raises(NoEngine, match="none is there"):
        find([])


class _OldPodman(BaseHTTPRequestHandler):
    """Answers as a podman that is too old."""

    def do_GET(self) -> None:
        said = {
            "Version": "3.0.1",
            "ApiVersion": "1.40",
            "MinAPIVersion": "1.24",
            "Components": [{"Name": "Podman Engine", "Version": "3.0.1"}],
        }
        body = json.dumps(said).encode("utf-8")
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its signature)
        """Tests print nothing."""


@pytest.fixture
def old_podman() -> Iterator[str]:
    """The address of one."""
    server = HTTPServer(("127.0.0.1", 0), _OldPodman)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"tcp://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(10)


def test_an_engine_that_is_too_old_is_named_with_what_is_wanted(old_podman: str) -> None:
    with pytest.raises(EngineTooOld) as raised, engine({"DOCKER_HOST": old_podman}):
        pass
    assert "podman 3.0.1" in raised.value.message
    assert "4.0" in raised.value.message
