"""`imprint doctor`: runs what each room exports as its checks."""

from typing import TYPE_CHECKING

from imprint.base.lazy import names_of
from imprint.doctor.run import DoctorData, exit_code, run

if TYPE_CHECKING:
    from imprint.doctor.ids import IDS

__all__ = ["IDS", "DoctorData", "exit_code", "run"]

__getattr__ = names_of(__name__, {"ids": ("IDS",)})
