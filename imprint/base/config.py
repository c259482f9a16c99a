"""The user's own `config.toml` in `IMPRINT_HOME`; no file means that every default holds."""

from pathlib import Path

import msgspec

from imprint.base.errors import RefusedError


class ConfigError(RefusedError):
    """`config.toml` does not say clearly what is wanted, so nothing is learned by guessing."""

    code = "config"


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may be learned.

    `include` and `exclude` are directories: with `include` only what lies in one of them is
    allowed, and what lies in an excluded one never is. `exclude_clients` names programs that
    wrote a session, as its `workspace.yaml` or `session.start` calls them (`github/cli`, `sdk`).
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclude_clients: tuple[str, ...] = ()


def load_config(path: Path) -> Config:
    """The configuration at `path`; raises `ConfigError` with the line where it is no TOML.

    An unknown key is an error: a misspelt `exclude` must not exclude nothing.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return Config()
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror or error}", fix="make it a readable file"
        ) from error
    import tomllib  # most people have no such file

    try:
        return msgspec.convert(tomllib.loads(data.decode("utf-8-sig")), Config)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path} is not UTF-8 text (line {line})", fix="save it as UTF-8"
        ) from error
    except tomllib.TOMLDecodeError as error:
        # The message ends with "(at line 3, column 7)", or does not tell the last line.
        last = len(data.splitlines())
        why = str(error).replace("at end of document", f"at the end, line {last}")
        raise ConfigError(f"{path} is not TOML: {why}", fix="correct that line") from error
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"{path} does not fit: {error}",
            fix='it may hold: include = ["..."], exclude = ["..."], exclude_clients = ["..."]',
        ) from error
