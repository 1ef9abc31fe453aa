"""How far each kind of features was tried, and which of them goes on while there is time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import final

from fspielm.accuracy import ILL_POSED
from fspielm.solvers.attempt import Attempt, Outcome
from fspielm.solvers.failure import why_failed
from fspielm.solvers.record import Record
from fspielm.solvers.stages import Ending, Stage, Step
from fspielm.wording import duration

# Larger rounds help as long as the error has fallen by this factor each time that sizes have doubled, so many times.
_GAIN = 1.5
_DOUBLINGS, _LEAST_DOUBLINGS = 2, 0.5


# Steps that rounds do not promise to help, as these may just not have come to where errors fall, may take this share of
# the budget, and so many times as long as all before them: twice as many functions take about eight times as long.
_SHARE = 0.5
_TIMES = 16.0

_NOT_TRIED = Ending("", cause="stalled")


@final
@dataclass(eq=False)
class Trail:
    """The rounds with one kind of features.

    `start` makes what it begins with; `pursue` plays rounds from a step to where they end, adding each to the trail;
    `forecast` tells how many seconds a step will take. After that, it has the kind's `title`, its `ending`, what was
    `shown`, the `stage` as far as it went with its `latest` round, and the `failure` that ended it. As a gamble,
    it goes on only for as long as its rounds help.
    """

    start: Callable[[], Step]
    pursue: Callable[[Trail, Step], Ending]
    forecast: Callable[[Step], float]
    title: str = ""
    ending: Ending = _NOT_TRIED
    shown: list[Outcome] = field(default_factory=list)
    stage: Stage | None = None
    latest: Attempt | None = None
    failure: Exception | None = None
    is_gamble: bool = False

    def add(self, stage: Stage, latest: Attempt) -> Ending | None:
        """A round more; an ending where there is to be no other for now."""
        self.stage, self.latest = stage, latest
        self.shown.append(latest.outcome)
        if not self.is_gamble or self.helps:
            return None
        return self.ending if self.ending.reason else Ending(f"{self.title} did not help", cause="stalled")

    def follow(self, step: Step | None = None) -> Ending:
        """Rounds from a step on, the first by default."""
        try:
            step = step or self.start()
            self.title = step.stage.title
            self.ending = self.pursue(self, step)
        except Exception as error:  # whatever it is, it leaves what other kinds find
            self.ending, self.failure = Ending(why_failed(error)), error
        return self.ending

    def offer(self) -> tuple[float, Step] | None:
        """A larger step than the kind takes by itself, or its first, with its seconds; None where that is useless."""
        try:
            step = self._onward()
            return None if step is None else (self.forecast(step), step)
        except Exception as error:
            self.ending = Ending(why_failed(error))
            return None

    def _onward(self) -> Step | None:
        if self.ending.cause != "stalled":
            return None
        if self.stage is None or self.latest is None or self.latest.estimate is None:
            return self.start()
        estimate, problem = self.latest.estimate, self.latest.discretisation.problem
        is_determined = not problem.missing and estimate.amplification <= ILL_POSED and not estimate.beyond
        return self.stage.onward(self.latest) if is_determined else None

    @property
    def has_doubled(self) -> bool:
        """Whether sizes have grown enough to show anything."""
        return self._fall[0] >= _LEAST_DOUBLINGS

    @property
    def helps(self) -> bool:
        """Whether rounds so far show that larger ones help."""
        doublings, fallen = self._fall
        return self.has_doubled and fallen >= _GAIN**doublings

    @property
    def _fall(self) -> tuple[float, float]:
        """By what factor the least error has fallen, and how often sizes have doubled meanwhile: lately, if often."""
        if not self.shown:
            return 0.0, 1.0
        largest = max(done.neurons for done in self.shown)
        small = max(largest / 2**_DOUBLINGS, min(done.neurons for done in self.shown))
        before = min(done.badness for done in self.shown if done.neurons <= small)
        now = max(min(done.badness for done in self.shown), 1e-300)
        return math.log2(largest / small), max(before / now, 1.0)


def press_on(trails: Sequence[Trail], record: Record, tol: float) -> None:
    """Go on with larger steps, after all kinds have ended by themselves, the cheapest step of all kinds each time.

    A kind takes part as long as its errors fall with each doubling; steps of others are a gamble at little cost.
    """
    most = _TIMES * record.spent
    gamble = min(_SHARE * (record.budget.seconds or float("inf")), most)
    with_more_time = most - gamble
    offers = {i: offer for i, trail in enumerate(trails) if (offer := trail.offer())}
    while not record.meets(tol):
        going = [i for i, (seconds, _) in offers.items() if trails[i].helps or seconds <= gamble]
        if not going:
            break
        cheapest = min(going, key=lambda i: offers[i][0])
        trail, (_, step), began = trails[cheapest], offers.pop(cheapest), record.spent
        record.go_on(step.stage.title)
        trail.is_gamble = not trail.helps
        trail.follow(step)
        gamble -= 0.0 if trail.helps else record.spent - began
        if offer := trail.offer():
            offers[cheapest] = offer
    for i, (seconds, step) in offers.items():
        few = trails[i].shown and not trails[i].has_doubled  # or its own reason says more
        if few and gamble < seconds <= gamble + with_more_time:
            trails[i].ending = Ending(
                f"rounds so far brought little; the next one, {step.trial.size}, may show more and would take about "
                f"{duration(seconds)}: allow {duration(seconds / _SHARE)} with budget=fs.Budget(seconds=...)"
            )


def ending_of(trails: Sequence[Trail]) -> Ending:
    """The ending that says what would help most; its `seconds` are zero unless rounds have shown that time would."""

    def rank(trail: Trail) -> tuple[bool, bool, float]:
        cause = trail.ending.cause
        least = min((done.badness for done in trail.shown), default=float("inf"))
        return cause not in ("met", "floor"), not (cause == "budget" and trail.helps), least

    best = min((trail for trail in trails if trail.ending.reason or trail.shown), key=rank)
    return best.ending if best.helps else replace(best.ending, seconds=0.0)
