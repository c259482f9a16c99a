"""The record of setup: there, readable, of this version, not in the middle of something."""

from collections.abc import Iterator

from imprint.base.checks import Check, Status
from imprint.copilot.checks.facts import Facts
from imprint.copilot.checks.ids import Id
from imprint.copilot.receipts import load_receipt
from imprint.edit.errors import ReceiptDamaged, ReceiptTooNew
from imprint.edit.interrupted import is_interrupted


def check_receipt(facts: Facts) -> Iterator[Check]:
    """Whether disconnect will be able to give the original files back."""
    environment, layout = facts.environment, facts.environment.layout()
    if is_interrupted(facts.home.path, locks=environment.locks, keep=layout.installed):
        yield Check(
            Id.RECEIPT,
            Status.BROKEN,
            "a setup or disconnect was interrupted in the middle",
            f"`{facts.setup_command}`: it first repairs what was left",
        )
    try:
        receipt = load_receipt(layout, facts.home.path)
    except (ReceiptDamaged, ReceiptTooNew) as error:
        yield Check.of_error(Id.RECEIPT, Status.BROKEN, error)
        return
    if receipt is None:
        yield _without(facts)
    elif receipt.imprint_version != facts.runtime.version:
        yield Check(
            Id.RECEIPT,
            Status.ATTENTION,
            f"set up by Imprint {receipt.imprint_version}, this is {facts.runtime.version}",
            f"`{facts.setup_command}`",
        )
    else:
        day = receipt.written_at[:10]
        yield Check(Id.RECEIPT, Status.OK, f"set up by Imprint {receipt.imprint_version}, {day}")


def _without(facts: Facts) -> Check:
    if facts.is_anothers:
        return Check(Id.RECEIPT, Status.OK, "not set up by this Imprint")
    if not facts.is_set_up:
        return Check(
            Id.RECEIPT, Status.ATTENTION, "this home is not set up", f"`{facts.setup_command}`"
        )
    return Check(
        Id.RECEIPT,
        Status.ATTENTION,
        "the record of setup is lost: disconnect could take out only what is provably Imprint's",
        f"`{facts.setup_command}` writes a new one",
    )
