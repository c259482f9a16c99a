"""Runs as a driver: GitHub's own SDK with the SDK server of a release, as an editor's agent host.

Only what the SDK leaves to its user is set: the model's address (the server does not look at the
variables that the command line takes it from), and the session's id. Permission is given once each
time that it is asked for, in today's word for it; in the old one, once Copilot has not understood.
"""

import asyncio
import contextlib
import logging
import uuid
from collections.abc import Awaitable
from typing import TypeVar

from copilot import CopilotClient, CopilotSession, RuntimeConnection, StopError
from copilot._jsonrpc import JsonRpcError, ProcessExitedError
from copilot.generated.rpc import PermissionDecisionApproved, PermissionDecisionApproveOnce
from copilot.session_events import SessionErrorData, SessionEvent, ToolExecutionCompleteData

from imprint.sandbox.drivers.order import Deadline, Order, RefusedError, Report, StuckError, run

_IDLE = "session.idle"
_ERROR = "session.error"

_Value = TypeVar("_Value")

_OLD_YES = "Unhandled permission result kind"
"""What a tool fails with on a release that knows another word for yes (seen up to 1.0.20)."""

_STOP_SECONDS = 4.0


class Host:
    """One session through the SDK."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._deadline = Deadline(order.seconds)
        self._ended = asyncio.Event()
        self._error = ""
        self._is_old = False
        self.questions = 0
        self.chosen_id = str(uuid.uuid4())
        program, *arguments = order.command
        self._client = CopilotClient(
            connection=RuntimeConnection.for_stdio(path=program, args=arguments),
            working_directory=order.directory,
            log_level="debug",
        )

    async def talk(self) -> None:
        """The whole conversation, and a goodbye; `StuckError` where something did not come."""
        # An event of an old release that this SDK can't read is dropped by it, with a traceback.
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        await self._before("the server", self._client.start())
        try:
            session = await self._before("a session", self._create())
            session.on(self._hear)
            for exchange in self._order.talk:
                self._ended.clear()
                await self._before("the prompt to be taken", session.send(exchange.prompt))
                await self._before("the end of the turn", self._ended.wait())
                if self._error:
                    raise StuckError(self._error)
            await self._before("the session to end", _end(session))
        finally:
            await self._stop()

    async def _create(self) -> CopilotSession:
        return await self._client.create_session(
            session_id=self.chosen_id,
            working_directory=self._order.directory,
            on_permission_request=self._permit,
            model=self._order.model,
            provider={"type": "openai", "base_url": self._order.base_url},
            # None leaves it to the server.
            enable_config_discovery=self._order.discover or None,
        )

    async def _before(self, what: str, awaited: Awaitable[_Value]) -> _Value:
        try:
            return await asyncio.wait_for(awaited, self._deadline.left)
        except (TimeoutError, ProcessExitedError) as error:
            raise StuckError(what) from error
        except JsonRpcError as error:
            raise RefusedError(str(error)) from error
        except RuntimeError as error:  # the SDK's word for whatever else a server does
            kind = StuckError if "exited" in str(error) else RefusedError
            raise kind(what if kind is StuckError else str(error)) from error

    async def _stop(self) -> None:
        """Old servers do not know how to be stopped; they are told, given a moment, and ended."""
        try:
            await asyncio.wait_for(self._client.stop(), _STOP_SECONDS)
        except* (StopError, TimeoutError):
            await self._client.force_stop()

    def _permit(self, *_: object) -> PermissionDecisionApproved | PermissionDecisionApproveOnce:
        self.questions += 1
        return PermissionDecisionApproved() if self._is_old else PermissionDecisionApproveOnce()

    def _hear(self, event: SessionEvent) -> None:
        match event.data:
            case SessionErrorData(message=message):
                self._error = message
            case ToolExecutionCompleteData(error=error) if error is not None:
                self._is_old |= _OLD_YES in error.message
            case _:
                pass
        if event.type.value in {_IDLE, _ERROR}:
            self._ended.set()


async def _end(session: CopilotSession) -> None:
    """Releases before this SDK's time do not know how to part with a session."""
    with contextlib.suppress(JsonRpcError):
        await session.disconnect()


async def _drive(order: Order) -> Report:
    host = Host(order)
    stuck = refused = ""
    try:
        await host.talk()
    except StuckError as error:
        stuck = str(error)
    except RefusedError as error:
        refused = str(error)
    return Report(stuck=stuck, refused=refused, chosen_id=host.chosen_id, questions=host.questions)


def drive(order: Order) -> Report:
    """The whole conversation."""
    logging.disable(logging.CRITICAL)
    return asyncio.run(_drive(order))


if __name__ == "__main__":
    run(drive)
