"""The block in Copilot's instructions, which tells the model that there is a memory."""

from collections.abc import Iterator

from imprint.base.checks import Check, Status
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.instructions import MARKERS, with_block
from imprint.edit.block import BlockState, find_blocks

_STATES = {
    BlockState.NONE: "has no block of Imprint",
    BlockState.HALF: "holds half a block of Imprint: one of its marker lines is gone",
    BlockState.SEVERAL: "holds Imprint's block several times",
    BlockState.ONE: "has a block that is not as setup writes it now",
}


def check_block(facts: Facts) -> Iterator[Check]:
    """Exactly one block, and the current one."""
    file = facts.instructions
    if file.problem is not None:
        yield Check.of_error(Id.BLOCK, Status.BROKEN, file.problem)
        return
    if facts.receipt is not None and not facts.contract.block:
        yield Check(Id.BLOCK, Status.OK, f"no block: this Copilot would not read {file.path}")
        return
    state = find_blocks(file.text, MARKERS).state
    if state is BlockState.ONE and with_block(file.text) == file.text:
        yield Check(Id.BLOCK, Status.OK, f"{file.path} tells the model of the memory")
        return
    if facts.is_anothers:
        yield Check(Id.BLOCK, Status.OK, f"{file.path} is left to the other Imprint")
        return
    told = f"{file.path} {_STATES[state]}"
    if not facts.is_set_up:
        told += ": not set up"
    yield Check(Id.BLOCK, Status.ATTENTION, told, f"`{facts.setup_command}`; your text stays")
