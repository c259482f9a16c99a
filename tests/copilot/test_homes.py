"""Where Copilot's homes are, on every platform, from an environment alone."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.copilot.homes import (
    BadHomeError,
    HomeSource,
    default_home,
    find_home,
    is_wsl,
    known_homes,
    old_places,
    snap_home,
)

Vary = Callable[..., Environment]


@pytest.fixture
def vary(world: Environment) -> Vary:
    """The scratch world on another platform, with other variables."""

    def make(platform: str = "linux", **variables: str) -> Environment:
        return replace(world, platform=platform, variables=variables)

    return make


def test_without_a_variable_the_home_is_below_the_users_home(vary: Vary) -> None:
    environment = vary()
    home = find_home(environment)
    assert home.path == environment.home / ".copilot"
    assert home.source == HomeSource.DEFAULT
    assert not home.exists


def test_an_empty_variable_counts_as_unset(vary: Vary) -> None:
    assert find_home(vary(COPILOT_HOME="")).source == HomeSource.DEFAULT


def test_on_windows_the_home_is_below_the_user_profile(vary: Vary, tmp_path: Path) -> None:
    profile = tmp_path / "Jörg O'Brien"
    environment = vary("win32", USERPROFILE=str(profile))
    assert default_home(environment) == profile / ".copilot"


def test_copilot_home_wins_and_a_trailing_slash_changes_nothing(vary: Vary, tmp_path: Path) -> None:
    folder = tmp_path / "my [copilot] $home"
    folder.mkdir()
    home = find_home(vary(COPILOT_HOME=f"{folder}/"))
    assert (home.path, home.source, home.exists) == (folder, HomeSource.VARIABLE, True)


def test_a_given_home_wins_over_the_variable(vary: Vary, tmp_path: Path) -> None:
    home = find_home(vary(COPILOT_HOME=str(tmp_path / "a")), str(tmp_path / "b"))
    assert (home.path, home.source) == (tmp_path / "b", HomeSource.GIVEN)


@pytest.mark.parametrize("value", ["copilot", "./x", "../.copilot"])
def test_a_relative_copilot_home_is_refused(vary: Vary, value: str) -> None:
    with pytest.raises(BadHomeError, match="relative") as caught:
        find_home(vary(COPILOT_HOME=value))
    assert "full path" in caught.value.fix


@pytest.mark.parametrize("value", ["~/.copilot", "~", "~me/x"])
def test_an_unexpanded_tilde_is_refused_with_the_path_that_was_meant(
    vary: Vary, value: str
) -> None:
    environment = vary(COPILOT_HOME=value)
    with pytest.raises(BadHomeError, match="literally") as caught:
        find_home(environment)
    assert str(environment.home) in caught.value.fix


def test_a_windows_path_in_wsl_is_refused_with_the_translated_path(vary: Vary) -> None:
    environment = vary(WSL_DISTRO_NAME="Ubuntu", COPILOT_HOME="C:\\Users\\me\\.copilot")
    with pytest.raises(BadHomeError, match="WSL") as caught:
        find_home(environment)
    assert "/mnt/c/Users/me/.copilot" in caught.value.fix


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_windows_path_elsewhere_is_refused(vary: Vary, platform: str) -> None:
    with pytest.raises(BadHomeError, match="Windows path") as caught:
        find_home(vary(platform, COPILOT_HOME="D:/copilot"))
    assert "unset COPILOT_HOME" in caught.value.fix


def test_a_path_of_wsl_on_windows_is_refused_with_the_translated_path(vary: Vary) -> None:
    with pytest.raises(BadHomeError, match="WSL") as caught:
        find_home(vary("win32", COPILOT_HOME="/mnt/c/Users/me/.copilot"))
    assert "C:\\Users\\me\\.copilot" in caught.value.fix


def test_a_given_windows_path_is_refused_too(vary: Vary) -> None:
    with pytest.raises(BadHomeError, match="--home"):
        find_home(vary(), "C:\\Users\\me")


def test_a_given_home_may_be_relative_but_not_empty(
    vary: Vary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.chdir(tmp_path)
        assert find_home(vary(), "here").path == tmp_path / "here"
    with pytest.raises(BadHomeError):
        find_home(vary(), "")


def test_a_home_that_is_a_file_is_refused(vary: Vary, tmp_path: Path) -> None:
    file = tmp_path / "copilot"
    file.write_text("x", encoding="utf-8")
    with pytest.raises(BadHomeError, match="is a file"):
        find_home(vary(COPILOT_HOME=str(file)))


def test_a_home_that_is_a_link_to_nothing_is_refused(vary: Vary, tmp_path: Path) -> None:
    link = tmp_path / "copilot"
    link.symlink_to(tmp_path / "gone")
    with pytest.raises(BadHomeError, match="link"):
        find_home(vary(COPILOT_HOME=str(link)))


def test_a_home_that_is_a_link_to_a_folder_is_taken_as_it_is_named(
    vary: Vary, tmp_path: Path
) -> None:
    (tmp_path / "dotfiles").mkdir()
    link = tmp_path / "copilot"
    link.symlink_to(tmp_path / "dotfiles")
    home = find_home(vary(COPILOT_HOME=str(link)))
    assert (home.path, home.exists) == (link, True)


def test_the_snaps_home_is_known_where_it_exists(vary: Vary) -> None:
    environment = vary()
    snap = snap_home(environment)
    assert snap == environment.home / "snap/copilot-cli/common/.copilot"
    assert [home.source for home in known_homes(environment)] == [HomeSource.DEFAULT]
    snap.mkdir(parents=True)
    assert [home.source for home in known_homes(environment)] == [
        HomeSource.DEFAULT,
        HomeSource.SNAP,
    ]
    assert snap_home(vary("darwin")) is None


def test_with_a_variable_the_default_home_is_known_too(vary: Vary, tmp_path: Path) -> None:
    environment = vary(COPILOT_HOME=str(tmp_path / "other"))
    assert [home.source for home in known_homes(environment)] == [
        HomeSource.VARIABLE,
        HomeSource.DEFAULT,
    ]


def test_two_spellings_of_one_home_are_known_once(vary: Vary, tmp_path: Path) -> None:
    environment = vary()
    (environment.home / ".copilot").mkdir()
    link = tmp_path / "link"
    link.symlink_to(environment.home / ".copilot")
    environment = replace(environment, variables={"COPILOT_HOME": str(link)})
    assert [home.source for home in known_homes(environment)] == [HomeSource.VARIABLE]


def test_places_of_old_releases_follow_the_xdg_folders(vary: Vary, tmp_path: Path) -> None:
    environment = vary(XDG_STATE_HOME=str(tmp_path / "state"))
    assert old_places(environment) == (
        environment.home / ".config/.copilot",
        tmp_path / "state/.copilot",
    )
    assert old_places(vary("win32")) == ()


def test_wsl_is_known_by_its_variables(vary: Vary) -> None:
    assert is_wsl(vary(WSL_INTEROP="/run/WSL/1_interop"))
    assert not is_wsl(vary())
    assert not is_wsl(vary("win32", WSL_DISTRO_NAME="Ubuntu"))
