"""The checks of a Copilot home, for `imprint doctor`; nothing here writes into any home."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING

from imprint.base.checks import Check, CheckContext, Checker, Status
from imprint.copilot.checks import block, compat, entry, home, hooks, other_hooks, servers, settings
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.hook_answer import check_answer as check_hooks_answer
from imprint.copilot.checks.ids import Id
from imprint.copilot.checks.program import check_version
from imprint.copilot.checks.receipt import check_receipt
from imprint.copilot.homes import BadHomeError, find_home
from imprint.copilot.runtime import Runtime

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["IDS", "checkers"]

IDS = tuple(Id)

_Function = tuple[Id, Callable[[Facts], Iterable[Check]]]

_HOME: tuple[_Function, ...] = (
    (Id.HOME, home.check_home),
    (Id.HOMES, home.check_homes),
    (Id.VERSION, check_version),
)
_IN_HOME: tuple[_Function, ...] = (
    (Id.WRITABLE, home.check_writable_files),
    (Id.RECEIPT, check_receipt),
    (Id.ENTRY, entry.check_entry),
    (Id.SERVERS, servers.check_servers),
    (Id.NAMES, entry.check_names),
    (Id.DISABLED, servers.check_disabled),
    (Id.POLICY, servers.check_policy),
    (Id.LEFTOVERS, servers.check_leftovers),
    (Id.BLOCK, block.check_block),
    (Id.SETTINGS, settings.check_settings),
    (Id.HOOKS_FILE, hooks.check_file),
    (Id.HOOKS_PROGRAM, hooks.check_program),
    (Id.HOOKS_ANSWER, check_hooks_answer),
    (Id.HOOKS_TWICE, other_hooks.check_twice),
    (Id.HOOKS_DISABLED, other_hooks.check_disabled),
    (Id.HOOKS_ELSEWHERE, other_hooks.check_elsewhere),
    (Id.HOOKS_OTHERS, other_hooks.check_others),
    (Id.HOOKS_EMPTY, other_hooks.check_empty),
)
# After whatever was asked live: what was seen counts at once.
_DECIDED: tuple[_Function, ...] = (
    (Id.RELEASE, compat.check_release),
    (Id.DECISIONS, compat.check_decisions),
    (Id.DRIFT, compat.check_drift),
)


def checkers(context: CheckContext) -> tuple[Checker, ...]:
    """One checker per id; where the home itself is impossible, only that."""
    try:
        found = find_home(context.environment, context.home)
    except (BadHomeError, OSError) as error:
        return (Checker(Id.HOME, partial(_bad_home, error)),)
    facts = Facts(context, found, Runtime.current(context.environment))
    is_readable = found.exists and not home.unreadable(found)
    functions = (*_HOME, *_IN_HOME) if is_readable else _HOME
    copilot, server = _live() if is_readable and context.live else ((), ())
    if is_readable:
        functions += (*copilot, *_DECIDED, *server)
    return tuple(Checker(name, partial(check, facts)) for name, check in functions)


def _bad_home(error: BadHomeError | OSError) -> Iterator[Check]:
    if isinstance(error, BadHomeError):
        yield Check.of_error(Id.HOME, Status.BROKEN, error)
    else:
        what = f"the Copilot home cannot be looked at: {error}"
        yield Check(Id.HOME, Status.BROKEN, what, "give this user the rights to it")


def _live() -> tuple[tuple[_Function, ...], tuple[_Function, ...]]:
    """What asks Copilot, and what asks the server: that one starts while Copilot does.

    Either takes a second or two on one processor before anything else can be done.
    """
    begun = cache(_begin_to_ask_server)

    def ask_copilot(facts: Facts) -> Iterable[Check]:
        from imprint.copilot.checks.live_copilot import check_copilot

        begun(facts)
        return check_copilot(facts)

    def ask_server(facts: Facts) -> Iterable[Check]:
        return begun(facts).result()

    return ((Id.LIVE_COPILOT, ask_copilot),), ((Id.MCP_ANSWER, ask_server),)


def _begin_to_ask_server(facts: Facts) -> "Future[tuple[Check, ...]]":
    from concurrent.futures import ThreadPoolExecutor

    from imprint.copilot.checks.live_mcp import check_answer

    pool = ThreadPoolExecutor(1, thread_name_prefix="mcp-answer")
    answer = pool.submit(lambda: tuple(check_answer(facts)))
    pool.shutdown(wait=False)
    return answer
