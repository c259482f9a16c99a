"""`imprint try`: the whole loop on a real Copilot, offline, in a scratch home."""

from imprint.trial.run import Options, run_trial
from imprint.trial.steps import Status, Step, Trial

__all__ = ["Options", "Status", "Step", "Trial", "run_trial"]
