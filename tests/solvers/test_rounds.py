"""The loop of rounds that linear problems, Newton's method and searches for modes share."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from fspielm.solvers import Ending, Step, StopReason
from fspielm.solvers.driver import FittedPlan, Rounds, play_rounds

TOL = 1e-6
NOTHING_LEFT = Ending("nothing left", cause=StopReason.STALLED)


class Played(Rounds):
    """Rounds with given errors; `limit` is that of the budget, `floor` the place of a round at the floor."""

    def __init__(self, *errors: float, limit: Ending | None = None, floor: int | None = None, ended: bool = False):
        self.request: Any = SimpleNamespace(tol=TOL, approach="band")
        self.record: Any = SimpleNamespace(best=None)
        self.errors, self.limit, self.floor, self.ended, self.calls = errors, limit, floor, ended, list[str]()

    def fit(self, step: Step) -> FittedPlan | Ending:
        self.calls.append(f"fit {step.plan}")
        if step.plan == len(self.errors):
            return Ending("too dear", cause=StopReason.BUDGET)
        return FittedPlan(step.plan, 1.0, self.limit)

    def play(self, fitted: FittedPlan, strategy: Any) -> Any:
        place: Any = fitted.plan
        self.calls.append(f"play {place}")
        outcome = SimpleNamespace(error=self.errors[place])
        return SimpleNamespace(outcome=outcome, is_at_floor=place == self.floor, plan=place)

    def why_ended(self, latest: Any) -> Ending | None:
        return NOTHING_LEFT if self.ended else None


STAGE: Any = SimpleNamespace(title="functions", next=lambda latest: Step(latest.plan + 1, STAGE))
FIRST = Step(0, STAGE)  # type: ignore[arg-type]


def test_rounds_go_on_until_one_meets_the_tolerance() -> None:
    rounds = Played(1.0, 1e-3, 1e-7, 1e-8)
    assert play_rounds(rounds, FIRST) == Ending("", is_final=True, cause=StopReason.MET)
    assert rounds.calls == ["fit 0", "play 0", "fit 1", "play 1", "fit 2", "play 2"]


def test_a_budget_without_another_round_ends_them() -> None:
    rounds = Played(1.0, 1e-3)
    assert play_rounds(rounds, FIRST).cause is StopReason.BUDGET
    assert rounds.calls[-2:] == ["play 1", "fit 2"]


@pytest.mark.parametrize("ended", [False, True])
def test_a_round_that_was_made_smaller_is_the_last(ended: bool) -> None:
    limit = Ending("no memory", cause=StopReason.BUDGET)
    assert play_rounds(Played(1.0, 1e-7, limit=limit, floor=0, ended=ended), FIRST) is limit
    assert play_rounds(Played(1e-7, limit=limit), FIRST).cause is StopReason.MET  # whatever was wanted


def test_reasons_of_the_kind_of_problem_come_before_the_floor() -> None:
    assert play_rounds(Played(1.0, floor=0, ended=True), FIRST) is NOTHING_LEFT


def test_at_the_floor_the_ending_says_which_tolerance_can_be_met() -> None:
    ending = play_rounds(Played(1.0, 1e-3, floor=1), FIRST)
    assert ending.cause is StopReason.FLOOR
    assert ending.is_final
    assert re.search(r"tolerance of 2e-03 can be met", ending.reason)
