"""Steps `setup` and `disconnect`: what a user's `imprint setup` and `disconnect` do."""

import datetime as dt
from dataclasses import dataclass, field
from pathlib import Path

from imprint.base.paths import Environment
from imprint.copilot.contract import CopilotContract
from imprint.copilot.disconnect import plan_disconnect
from imprint.copilot.homes import CopilotHome
from imprint.copilot.runtime import Runtime
from imprint.copilot.setup import SetupPlan, plan_setup
from imprint.edit.apply import Applied, apply
from imprint.edit.plan import Plan
from imprint.trial.steps import Verdict, failed, proven
from imprint.trial.tree import Tree, not_given_back, snapshot


@dataclass(slots=True)
class Installation:
    """Imprint in the scratch home, from setup to disconnect."""

    environment: Environment
    home: CopilotHome
    contract: CopilotContract
    runtime: Runtime
    _before: Tree = field(default_factory=dict)
    _touched: list[str] = field(default_factory=list)

    def set_up(self) -> Verdict:
        """Plan, apply, and plan again: the second plan must be empty."""
        self._before = snapshot(self.home.path)
        applied = self._apply(self._plan().plan)
        for path in (*applied.changed, *applied.created_directories):
            if path.is_relative_to(self.home.path):
                self._touched.append(path.relative_to(self.home.path).as_posix())
        again = self._plan()
        if again.changes:
            names = ", ".join(change.path for change in again.changes)
            return failed(f"a second setup would change {names}")
        made = self.contract.decisions
        known = f"{sum(one.is_known for one in made)} of {len(made)} decisions known"
        wrote = ", ".join(sorted(self._touched))
        return proven(f"wrote {wrote} ({known}); a second setup plans nothing")

    def take_out(self, control: Path) -> Verdict:
        """Everything as before, but for what a Copilot without Imprint writes as well."""
        self._apply(plan_disconnect(self.environment, self.home, runtime=self.runtime).plan)
        wrong = not_given_back(
            self._before, snapshot(self.home.path), self._touched, snapshot(control)
        )
        if wrong:
            return failed(f"not as before: {', '.join(wrong)}")
        return proven(f"{len(self._touched)} paths are as before setup, byte for byte")

    def _plan(self) -> SetupPlan:
        return plan_setup(
            self.environment,
            self.home,
            self.contract,
            runtime=self.runtime,
            now=dt.datetime.now(dt.UTC),
        )

    def _apply(self, plan: Plan) -> Applied:
        keep = self.environment.layout().installed
        return apply(plan, locks=self.environment.locks, keep=keep)
