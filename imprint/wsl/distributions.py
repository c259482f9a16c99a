"""The distributions of this Windows, as `wsl.exe --list --verbose` tells them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from imprint.base.errors import RefusedError
from imprint.wsl.run_wsl import LIST_SECONDS, RunWsl, WslFailed, text_of

# Columns are padded with at least two spaces, except that a long localized state may leave one.
_ROW = re.compile(r"(?P<mark>[* ]) (?P<name>\S.*?) {2,}(?P<state>\S.*?) +(?P<version>\d+)\s*")
_NOT_FOR_PEOPLE = re.compile(r"docker-desktop|rancher-desktop|podman-machine-", re.IGNORECASE)


class NoSuchDistribution(RefusedError):
    """The distribution that was asked for is not there."""

    code = "no-such-distribution"


class UnreadableList(RefusedError):
    """`wsl.exe --list --verbose` printed something else than a table."""

    code = "unreadable-list"


@dataclass(frozen=True, slots=True)
class Distribution:
    """One row; `state` is in Windows' own language, `version` that of WSL (1 or 2)."""

    name: str
    state: str
    version: int
    is_default: bool

    @property
    def is_for_people(self) -> bool:
        """Whether somebody works in it: not the ones in which Docker and its like keep house."""
        return not _NOT_FOR_PEOPLE.match(self.name)


def list_distributions(run: RunWsl) -> tuple[Distribution, ...]:
    """Every distribution in which somebody could work; WslFailed where `wsl.exe` has none."""
    answer = run(("--list", "--verbose"), seconds=LIST_SECONDS)
    if answer.exit_code != 0:
        raise WslFailed(
            f"wsl.exe cannot list its distributions (exit code {answer.exit_code}): {answer.text}",
            fix="see `wsl --list --verbose` in a terminal of Windows; `wsl --install` installs one",
        )
    return tuple(found for found in parse_list(answer.stdout) if found.is_for_people)


def list_running(run: RunWsl) -> frozenset[str]:
    """The names, in lower case, of those that run now; `wsl.exe` fails where none does."""
    answer = run(("--list", "--running", "--quiet"), seconds=LIST_SECONDS)
    lines = text_of(answer.stdout).split("\n") if answer.exit_code == 0 else ()
    return frozenset(line.strip().lower() for line in lines if line.strip())


def parse_list(data: bytes) -> tuple[Distribution, ...]:
    """The rows of the table; the headline is in any language, and so is the state.

    Raises UnreadableList for a line after the headline that is no row.
    """
    return tuple(_rows(text_of(data)))


def _rows(text: str) -> Iterator[Distribution]:
    lines = [line for line in text.split("\n") if line.strip()]
    for position, line in enumerate(lines):
        row = _ROW.fullmatch(line.rstrip())
        if row is None:
            if position == 0:
                continue
            raise UnreadableList(
                f"wsl.exe --list --verbose printed a line that is no distribution: {line!r}",
                fix="report it with the output of that command",
            )
        yield Distribution(row["name"], row["state"], int(row["version"]), row["mark"] == "*")


def choose(distributions: Sequence[Distribution], name: str | None) -> Distribution:
    """The one with this name, in any case; the default one without a name."""
    wanted = [
        item
        for item in distributions
        if (item.is_default if name is None else item.name.lower() == name.lower())
    ]
    if wanted:
        return wanted[0]
    names = ", ".join(item.name for item in distributions) or "none"
    what = "no distribution is the default" if name is None else f"no distribution is named {name}"
    raise NoSuchDistribution(f"{what}; there are: {names}", fix="name one with --distribution")
