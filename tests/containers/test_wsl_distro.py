"""A real Copilot in the stand-in of a distribution, Imprint on its Windows side."""

from collections.abc import Callable, Iterator

import pytest

from containers.sealed import Sealed
from containers.wsl_distro.claims import CLAIMS, ask
from containers.wsl_distro.interop import NoInterop
from containers.wsl_distro.world import World, world
from imprint.base.paths import Environment
from imprint.compat import Outcome, shipped_catalogue
from imprint.sandbox.release import Release
from probes.distribution import claims_of_distributions

pytestmark = [pytest.mark.container, pytest.mark.copilot]

FILES = ("imprint-wsl", "hooks/imprint.json", "mcp-config.json", "copilot-instructions.md")
PAYLOAD = b'{"session_id": "1", "cwd": "/home/ada/work", "imprint_rehearsal": true}'


@pytest.fixture(scope="module")
def both(
    sealed: Sealed, fetch: Callable[[str], Release], pinned: str, host: Environment
) -> Iterator[World]:
    """Both sides; nothing is set up. Tests go on where the one before has ended."""
    release = fetch(pinned)
    try:
        with world(sealed.engine, sealed.image, sealed.python, release, host) as one:
            yield one
    except NoInterop as error:
        if host.get("CI"):
            pytest.fail(f"{error.message}; {error.fix}", pytrace=False)
        pytest.skip(f"needs binfmt_misc: {error.message}")


def ours(both: World) -> list[str]:
    return [name for name in FILES if (both.copilot_home / name).exists()]


def test_the_claims_of_the_catalogue_are_those_that_are_asked() -> None:
    assert claims_of_distributions() == CLAIMS
    assert all(shipped_catalogue()[claim].values == ("yes", "no") for claim in CLAIMS)


def test_hooks_answer_the_note_reaches_the_model_and_the_session_is_learned(both: World) -> None:
    given = ask(both)
    assert {claim: (one.outcome, one.value) for claim, one in given.items()} == dict.fromkeys(
        CLAIMS, (Outcome.OBSERVED, "yes")
    )
    assert ours(both) == list(FILES)


def test_copilot_got_imprints_mcp_server_through_the_launcher(both: World) -> None:
    servers = [one for one in both.asked() if "mcp" in str(one.get("argv"))]
    assert servers
    assert all(one["exit_code"] == 0 for one in servers)


def test_the_stand_ins_were_asked_nothing_that_they_do_not_know(both: World) -> None:
    assert [one for one in both.asked() if "unexpected" in one] == []


def test_without_interop_a_session_is_as_if_imprint_were_not_there(both: World) -> None:
    socket = both.folder / "run" / "1_interop"
    aside = socket.with_name("aside")
    socket.rename(aside)
    try:
        for action in ("copilot-session-start", "stop"):
            ended = both.shell(f"/home/ada/copilot/imprint-wsl hook {action}", PAYLOAD)
            assert (ended.exit_code, ended.stdout, ended.stderr) == (0, b"", b"")
        session = both.session("Say fine.", "Fine", ("pinned",))
    finally:
        aside.rename(socket)
    assert session.exit_code == 0
    assert "hook" not in session.stderr.lower()
    log = both.copilot_home / "imprint-wsl.log"
    assert "ended with" in log.read_text(encoding="utf-8")
    log.unlink()


def test_remove_takes_everything_away_again(both: World) -> None:
    ended = both.imprint("wsl", "remove")
    assert ended.exit_code == 0, ended.stderr.decode()
    assert ours(both) == []
    assert not (both.copilot_home / "hooks").exists()
