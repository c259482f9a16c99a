"""The user's `config.toml`."""

from pathlib import Path

import pytest

from imprint.base.config import Config, ConfigError, load_config


def write(folder: Path, data: bytes) -> Path:
    """A configuration file."""
    path = folder / "config.toml"
    path.write_bytes(data)
    return path


def test_no_file_means_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "config.toml") == Config()


def test_roots_and_clients_are_read(tmp_path: Path) -> None:
    text = b'\xef\xbb\xbfinclude = ["/a"]\nexclude = ["/a/b", "~/c"]\nexclude_clients = ["ci"]\n'
    assert load_config(write(tmp_path, text)) == Config(("/a",), ("/a/b", "~/c"), ("ci",))


def test_broken_toml_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="line 2"):
        load_config(write(tmp_path, b'include = ["/a"]\nexclude = [\n'))


def test_a_misspelt_key_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="exlude"):
        load_config(write(tmp_path, b'exlude = ["/a"]\n'))


def test_a_value_of_the_wrong_type_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="exclude"):
        load_config(write(tmp_path, b'exclude = "/a"\n'))


def test_text_that_is_no_utf8_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="line 2"):
        load_config(write(tmp_path, b'include = []\nexclude = ["\xff"]\n'))


def test_a_folder_in_its_place_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "config.toml")
