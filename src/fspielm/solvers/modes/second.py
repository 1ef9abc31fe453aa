"""A second search, which is to find the same modes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.solvers.modes.inverse import inverse_at
from fspielm.solvers.modes.pencil import Pencil
from fspielm.solvers.modes.round import Round
from fspielm.solvers.modes.rounds import Searched, find
from fspielm.solvers.modes.window import Window
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request

# Values of both searches are those of one mode if they are no farther apart, relative to their spread.
_SAME = 1e-4
# Where beside a single value, or within a gap, the second shift is.
_BESIDE, _WITHIN = 0.41, 0.47
# Where it is in a window without any value.
_ACROSS = 0.71


def missed(pencil: Pencil, request: Request, record: Record, part: tuple[Window, Searched]) -> str:
    """What another shift and other first functions show that the search did not, in words; empty if nothing.

    On the same functions, so that it costs another factorisation, and no more.
    """
    first, best = part[0], part[1].best
    if not best.inverse.symmetric:
        return ""
    # of what there was no time to find, there is none for that either
    if record.seconds_left <= best.searching:
        return (
            "there was no time for a second search, which is to find the same modes: some may be missing; allow more "
            "with budget=fs.Budget(seconds=...)"
        )
    known = np.sort((best.inverse.shift + best.found.mu).real)
    window, slack = _around(best) if len(best.wanted) else _across(first)
    shift = window.shift
    here = replace(request, problem=pencil.at(shift), tol=max(request.tol, _SAME))
    inverse = inverse_at(pencil, shift, best.inverse.finite, here, best.inverse.unit, best.inverse)
    found = find(inverse, window, here, record, seed=2, kept=0.0)
    if found.is_cut:
        return (
            f"the budget of {record.budget.seconds:g} s ended a second search, which is to find the same modes: some "
            "may be missing; allow more with budget=fs.Budget(seconds=...)"
        )
    again = np.sort((shift + found.mu[window.pick(found.mu)]).real)
    inside = known[(known >= window.lower) & (known <= window.upper)]
    if len(again) == len(inside) and np.all(np.abs(again - inside) <= slack):
        return ""
    return (
        f"a second search, from {shift:.6g}, found {len(again)} values between {window.lower:.6g} and "
        f"{window.upper:.6g} where the first one had found {len(inside)}: modes may be missing; ask for a smaller "
        "interval, or a smaller tolerance"
    )


def _around(best: Round) -> tuple[Window, float]:
    """From the first value to the last, and by how much one may be off in either search."""
    values = np.sort(best.values.real)
    spread = max(float(np.ptp(values)), abs(best.found.mu[0]))
    slack = _SAME * spread
    return Window(_between(values, spread), None, float(values[0]) - slack, float(values[-1]) + slack), slack


def _across(empty: Window) -> tuple[Window, float]:
    """The same for a window in which there was no value: one at an end of it may be seen on either side."""
    length = empty.upper - empty.lower
    slack = _SAME * length
    return Window(empty.lower + _ACROSS * length, None, empty.lower + slack, empty.upper - slack), slack


def _between(values: FloatArray, spread: float) -> float:
    """A place among the values, in the widest gap of their middle; beside a single one."""
    gaps = np.diff(values)
    if not len(gaps) or gaps.max() <= 1e-3 * spread:
        return float(values[-1] + _BESIDE * spread)
    central = gaps * (1.0 - np.abs(np.linspace(-0.8, 0.8, len(gaps))))
    place = int(np.argmax(central))
    return float(values[place] + _WITHIN * gaps[place])
