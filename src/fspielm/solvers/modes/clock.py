"""Seconds that a search for modes takes, beside those that are left of its budget."""

from __future__ import annotations

from fspielm.solvers.modes.round import Round
from fspielm.solvers.record import Record
from fspielm.wording import MORE_TIME

# A first round takes so many times as long as its factorisation, with what comes after it.
_FIRST = 6.0
# What is thought to take less is no measure.
_SHORTEST = 0.1


def times(latest: Round | None) -> float:
    """How many times longer than its factorisation a round will take, with what is to be done after the last one."""
    if latest is None:
        return _FIRST
    return (latest.taken + latest.closing) / max(latest.forecast, _SHORTEST)


def share(latest: Round | None) -> float:
    """What of that the round itself will take."""
    return 1.0 if latest is None else latest.taken / (latest.taken + latest.closing)


def out_of_time(record: Record) -> str:
    """Why something was not done, where no time was left for it; empty where there is time."""
    return "" if record.seconds_left > 0 else f"the budget of {record.budget.seconds:g} s ended it; {MORE_TIME}"


def too_late(record: Record, latest: Round, owed: float = 0.0) -> str:
    """Why there should be no further round, which would be no shorter than the latest; empty where there is time.

    Some seconds may be `owed` to what was found elsewhere.
    """
    if record.seconds_left > latest.taken + latest.closing + owed:
        return ""
    return f"the budget of {record.budget.seconds:g} s ended it, a further round would not end before; {MORE_TIME}"
