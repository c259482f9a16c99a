"""A file's way back to what it was before setup."""

import hashlib
from dataclasses import dataclass

from imprint.copilot.parts import Part
from imprint.copilot.report import keep_edited
from imprint.edit.plan import FileChange
from imprint.edit.receipt import FileReceipt


@dataclass(frozen=True, slots=True)
class Removal:
    """`exact` says that the very bytes come back; `kept` is a copy of what the user wrote into a
    file that goes.
    """

    change: FileChange
    exact: bool
    kept: FileChange | None

    @classmethod
    def of(cls, part: Part, receipt: FileReceipt | None, why: str) -> "Removal":
        """The removal of one part, by its receipt while that fits, else by structure."""
        after, exact = part.original(receipt)
        change = FileChange(part.path, part.current, after, why)
        kept = None
        if part.edited and part.current is not None and after is None:
            digest = hashlib.sha256(part.current).hexdigest()
            as_written = receipt is not None and receipt.after == digest
            kept = None if as_written else keep_edited(part.path, part.current)
        return cls(change, exact, kept)

    def notes(self) -> tuple[str, ...]:
        """What is not as it was, and where the user's text went."""
        path = self.change.path
        if self.kept is not None:
            return (f"{path} was edited; your version is kept as {self.kept.path}",)
        if self.change.is_change and not self.exact:
            return (
                f"{path}: edited since setup, or set up without a record; removed Imprint's part",
            )
        return ()
