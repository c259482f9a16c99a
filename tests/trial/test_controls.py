"""What plain hooks can do here: asked of the release itself, or known of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from imprint.base.paths import Environment
from imprint.compat import Basis, Code, Decision
from imprint.copilot.contract import CopilotContract
from imprint.trial.controls import HookAbility, hook_ability, known_without_context
from tests.observe.support import fake_release


def test_each_shape_is_asked_alone_of_the_release_itself(tmp_path: Path, host: Environment) -> None:
    found = hook_ability(fake_release(tmp_path / "copilot"), host, tmp_path / "asked")
    assert found == HookAbility(("pascal.top", "camel.top"), ("pascal", "camel"), 4)


def test_a_release_without_events_is_seen_to_be_unable(tmp_path: Path, host: Environment) -> None:
    release = fake_release(tmp_path / "copilot", "no-events")
    assert hook_ability(release, host, tmp_path / "asked") == HookAbility((), (), 4)


def test_sessions_that_prove_nothing_are_no_runs(tmp_path: Path, host: Environment) -> None:
    release = fake_release(tmp_path / "copilot", "says-another-version")
    assert hook_ability(release, host, tmp_path / "asked") == HookAbility((), (), 0)


def decided(action: str, basis: Basis) -> CopilotContract:
    one = Decision("some.claim", "answer-context", action, Code.KNOWN, basis, ())
    made = CopilotContract.recorded({one.decides: action}, "1.0.10", "linux")
    return replace(made, decisions=(one,))


@pytest.mark.parametrize(
    ("action", "basis", "digest", "is_known"),
    [
        ("none", Basis.OBSERVED, "abc", True),
        ("none", Basis.OBSERVED, "", False),
        ("none", Basis.BRACKETED, "abc", False),
        ("none", Basis.PROJECTED, "abc", False),
        ("top-level", Basis.OBSERVED, "abc", False),
    ],
)
def test_only_a_release_that_was_itself_seen_to_take_no_context_is_not_asked_again(
    tmp_path: Path, action: str, basis: Basis, digest: str, is_known: bool
) -> None:
    release = replace(fake_release(tmp_path / "copilot"), digest=digest)
    assert bool(known_without_context(decided(action, basis), release)) is is_known
