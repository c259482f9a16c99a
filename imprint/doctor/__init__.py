"""`imprint doctor`: runs what each room exports as its checks."""

from imprint.doctor.rooms import IDS
from imprint.doctor.run import DoctorData, exit_code, run

__all__ = ["IDS", "DoctorData", "exit_code", "run"]
