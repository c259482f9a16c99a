"""What the user allows: roots, clients, pauses."""

import stat
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from imprint.base.config import ConfigError
from imprint.base.pathcontext import NativePaths
from imprint.base.paths import Environment
from imprint.learn import SessionState, SkipReason, load_policy, pause, unpause
from imprint.learn.policy import Policy
from tests.capabilities import needs_links, needs_modes
from tests.learn.support import START, Home, Transcript

pytestmark = pytest.mark.usefixtures("here_and_ahead")


def refusal(world: Environment, text: str, *directories: str) -> SkipReason | None:
    """Why a session with these directories is refused under a configuration."""
    config = world.layout().config
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(text, encoding="utf-8")
    return load_policy(world).refusal(directories, (), NativePaths())


def test_without_a_file_everything_is_allowed(world: Environment) -> None:
    assert load_policy(world).refusal(("/anywhere",), (), NativePaths()) is None


@pytest.mark.parametrize(
    ("root", "inside", "outside"),
    [
        ("/home/me/secret", "/home/me/secret", "/home/me/secrets"),
        ("/home/me/secret/", "/home/me/secret/deep/er", "/home/me"),
        ("/home/me/x/../secret", "/home/me/./secret/a", "/home/me/x"),
        ("/home/me/secret", "/home/me/app/../secret", "/home/me/secret/../app"),
        ("C:\\\\Work\\\\Secret", "c:\\work\\secret\\a", "c:\\work\\secrets"),
        ("c:/work/secret", "C:\\WORK\\Secret", "d:\\work\\secret"),
        ("\\\\\\\\server\\\\share", "\\\\server\\share\\a", "\\\\server\\shared"),
        ("\\\\\\\\wsl$\\\\Ubuntu\\\\home", "\\\\wsl.localhost\\Ubuntu\\home\\me", "/home/me"),
        ("/", "/anything", "c:\\anything"),
        ("/home/me/日本", "/home/me/日本/é", "/home/me/日"),
    ],
)
def test_a_root_holds_what_lies_below_it(
    world: Environment, root: str, inside: str, outside: str
) -> None:
    exclude, include = f'exclude = ["{root}"]', f'include = ["{root}"]'
    assert refusal(world, exclude, inside) is SkipReason.EXCLUDED
    assert refusal(world, exclude, outside) is None
    assert refusal(world, include, inside) is None
    assert refusal(world, include, outside) is SkipReason.NOT_INCLUDED


def test_one_directory_that_is_not_allowed_refuses_the_session(world: Environment) -> None:
    assert refusal(world, 'exclude = ["/b"]', "/a", "/b/c") is SkipReason.EXCLUDED
    assert refusal(world, 'include = ["/a"]', "/a", "/b") is SkipReason.NOT_INCLUDED


def test_exclude_wins_over_include(world: Environment) -> None:
    text = 'include = ["/a"]\nexclude = ["/a/secret"]'
    assert refusal(world, text, "/a/secret") is SkipReason.EXCLUDED
    assert refusal(world, text, "/a/open") is None


def test_a_root_of_a_distribution_is_no_folder_of_windows(
    world: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Windows makes of such a path: it lies on the current drive."""
    windows = replace(world, platform="win32")
    monkeypatch.setattr("os.path.realpath", lambda name: "C:" + name.replace("/", "\\"))
    for root in ("/", "/home/me"):
        assert refusal(windows, f'exclude = ["{root}"]', f"{root}/a") is SkipReason.EXCLUDED
        assert refusal(windows, f'exclude = ["{root}"]', "C:\\home\\me") is None
        assert refusal(windows, f'include = ["{root}"]', "C:\\home\\me") is SkipReason.NOT_INCLUDED


def test_a_root_may_be_written_from_the_home(world: Environment) -> None:
    assert refusal(world, 'exclude = ["~/secret"]', f"{world.home}/secret/a")
    assert refusal(world, 'exclude = ["~"]', f"{world.home}/anything")


@needs_links
def test_a_root_behind_a_symbolic_link_is_meant_too(world: Environment, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert refusal(world, f'exclude = ["{tmp_path}/link"]', str(tmp_path / "real" / "a"))


def test_case_counts_only_where_the_system_minds_it() -> None:
    folded = Policy(exclude=("/users/me/secret",), ignore_case=True)
    assert folded.refusal(("/Users/Me/Secret",), (), NativePaths()) is SkipReason.EXCLUDED
    exact = Policy(exclude=("/users/me/secret",))
    assert exact.refusal(("/Users/Me/Secret",), (), NativePaths()) is None


def test_a_path_of_another_system_is_compared_as_this_one_names_it() -> None:
    class Distribution:
        """Ubuntu, seen from Windows."""

        name = "wsl:Ubuntu"

        def local(self, recorded: str) -> Path:
            if not recorded.startswith("/"):
                raise ValueError(recorded)
            return Path("\\\\wsl.localhost\\Ubuntu" + recorded.replace("/", "\\"))

    policy = Policy(exclude=("\\\\wsl.localhost\\ubuntu\\home\\me\\secret",))
    assert policy.refusal(("/home/me/secret/a",), (), Distribution()) is SkipReason.EXCLUDED
    assert policy.refusal(("/home/me/open",), (), Distribution()) is None
    assert Policy(include=("/home/me",)).refusal(("/home/me/a",), (), Distribution()) is None


def test_a_relative_root_is_an_error(world: Environment) -> None:
    with pytest.raises(ConfigError, match="absolute"):
        refusal(world, 'exclude = ["secret"]', "/a")


def test_an_excluded_session_is_named_with_its_reason(home: Home) -> None:
    home.configure('exclude = ["/home/me/secret"]')
    path = home.put("s", Transcript().start("/home/me/secret/x").turn("a", "b"))
    home.put("t", Transcript().start("/home/me/open").turn("c", "d"))
    report = home.learn()
    assert report.skipped == {SkipReason.EXCLUDED: 1}
    [skipped] = report.skipped_sessions
    assert (skipped.key, skipped.path) == ("conversation/s", str(path))
    assert skipped.detail == "/home/me/secret/x"
    assert home.session("s") is None
    assert home.texts("t") == ["c", "d"]


def test_a_session_that_moves_into_an_excluded_directory_leaves_the_memory(home: Home) -> None:
    home.configure('exclude = ["/secret"]')
    transcript = Transcript().start("/open").turn("a", "b")
    home.put("s", transcript)
    assert home.learn().turns == 2
    transcript.event("session.context_changed", {"cwd": "/secret/x"}, agentId="a1")
    home.put("s", transcript.turn("c", "d"))
    report = home.learn()
    assert report.skipped == {SkipReason.EXCLUDED: 1}
    assert home.session("s") is None
    assert home.memory.search("a") == []


def test_a_root_excluded_later_holds_for_what_was_learned(home: Home) -> None:
    home.put("s", Transcript().start("/home/me/app").turn("a", "b"))
    home.learn()
    home.configure('exclude = ["/home/me/app"]')
    assert home.learn().skipped == {SkipReason.EXCLUDED: 1}
    assert home.session("s") is None
    home.configure("")
    assert home.learn().turns == 2


def test_sessions_of_an_excluded_client_are_left_out(home: Home) -> None:
    home.configure('exclude_clients = ["ci/runner", "other-agent"]')
    path = home.put("s", Transcript().start().turn("a", "b"))
    path.with_name("workspace.yaml").write_text("client_name: ci/runner\n", encoding="utf-8")
    home.put("t", Transcript().start(producer="other-agent").turn("a", "b"))
    home.put("u", Transcript("u").start().turn("a", "b"))
    assert home.learn().skipped == {SkipReason.EXCLUDED_CLIENT: 2}
    assert home.texts("u") == ["a", "b"]


def test_nothing_is_learned_while_learning_is_paused(home: Home) -> None:
    home.put("s", Transcript().start().turn("a", "b"))
    assert pause(home.world, START.timestamp() + 100)
    assert not pause(home.world, START.timestamp() + 200)
    assert home.learn().skipped == {SkipReason.PAUSED: 1}
    assert home.session("s") is None
    assert unpause(home.world, START.timestamp() + 300)
    assert not unpause(home.world, START.timestamp() + 400)
    assert home.learn().turns == 2


def test_what_was_said_during_a_pause_is_not_learned_later_either(home: Home) -> None:
    transcript = Transcript().start().turn("before", "yes")
    pause(home.world, transcript.now.timestamp() + 0.5)
    transcript.turn("meanwhile", "hush").tool("bash", {"command": "hush"})
    unpause(home.world, transcript.now.timestamp() + 0.5)
    transcript.turn("after", "fine")
    home.put("s", transcript)
    home.learn()
    assert home.texts("s") == ["before", "yes", "after", "fine"]
    assert home.work("s") == []


def test_a_session_within_a_pause_stays_out(home: Home) -> None:
    pause(home.world, (START - timedelta(hours=1)).timestamp())
    unpause(home.world, (START + timedelta(hours=1)).timestamp())
    home.put("s", Transcript().start().turn("a", "b"))
    for _ in range(2):
        assert home.learn().skipped == {SkipReason.PAUSED: 1}
    assert home.session("s") is None


@needs_modes
def test_the_file_of_pauses_is_its_owners_alone(home: Home) -> None:
    pause(home.world, 1.0)
    assert stat.S_IMODE(home.world.layout().pauses.stat().st_mode) == 0o600


def test_a_damaged_file_of_pauses_is_an_error_and_no_permission(home: Home) -> None:
    home.world.layout().pauses.write_text("{", encoding="utf-8")
    with pytest.raises(ConfigError):
        load_policy(home.world)


def test_a_store_that_is_not_there_is_empty(home: Home) -> None:
    report = home.learn(SessionState(home.state / "nowhere"))
    assert (report.learned, report.unchanged, report.skipped) == (0, 0, {})
