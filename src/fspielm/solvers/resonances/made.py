"""Functions as resonances ask for them, if the budget allows them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

import sympy as sp

from fspielm.equations import Problem
from fspielm.equations.two_sided import two_sided
from fspielm.errors import ProblemError
from fspielm.solvers.modes.pencil import with_value
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.resonances.functions import OpenFunctions
from fspielm.solvers.stages.by_object import first_efforts
from fspielm.solvers.stages.open_space import OpenSpace
from fspielm.solvers.trial import FeatureTrial
from fspielm.wording import duration, readable_bytes

# Tables of the size of a system that are held at a time, and how many systems are solved at least.
_TABLES, _FEWEST = 4, 20
# What is over within so many seconds is tried, however little time there is.
_LONG = 1.0
# From so many entries of a matrix on it pays to fill it on threads.
_MANY_ENTRIES = 200_000


class BeyondBudgetError(ProblemError):
    """There is no time, or no memory, for functions or for all of a rectangle."""


@final
@dataclass(frozen=True, eq=False)
class Asked:
    """What functions are for.

    Attributes
    ----------
    problem : Problem
    symbol : Symbol
        That stands for the value.
    largest : float
        The largest size of a value.
    along : float
        The highest wavenumber of waves that are bound to surfaces.
    """

    problem: Problem
    symbol: sp.Symbol
    largest: float
    along: float


def open_functions(asked: Asked, record: Record, request: Request, level: int) -> OpenFunctions:
    """Functions that hold all that is asked for; more of them for every level.

    Raises
    ------
    BeyondBudgetError
        If the budget does not allow so many.
    """
    here = replace(request, problem=two_sided(with_value(asked.problem, asked.symbol, asked.largest)))
    efforts = [
        replace(each, made=replace(each.made, held=max(each.made.held, asked.along)))
        for each in first_efforts(here.problem, None, level)
    ]
    trial = OpenSpace(here, tuple(efforts)).first().trial
    assert isinstance(trial, FeatureTrial)  # as that of open domains is
    _check_budget(asked, record, here, trial)
    first = trial.discretise(here, {})
    entries = first.rows * first.basis.size
    threads = first.threads if entries > _MANY_ENTRIES else 1
    return OpenFunctions(asked.problem, asked.symbol, trial, replace(first, threads=threads))


def _check_budget(asked: Asked, record: Record, request: Request, trial: FeatureTrial) -> None:
    budget, memory = record.budget, _TABLES * trial.nbytes(request)
    each = trial.outlook(request, None, math.inf).seconds
    bound = f"; waves of wavenumber {asked.along:.3g} are bound to a surface" if asked.along > asked.largest else ""
    for is_beyond, what, remedy in (
        (budget.neurons is not None and trial.neurons > budget.neurons, "", f"neurons={trial.neurons}"),
        (memory > budget.memory_limit, f" and {readable_bytes(memory)} of memory", "memory=..."),
        (each > max(_LONG, record.seconds_left / _FEWEST), f" and {duration(_FEWEST * each)}, at least", "seconds=..."),
    ):
        if is_beyond:
            raise BeyondBudgetError(
                f"resonances there need {trial.neurons} functions{what}{bound}: ask for fewer digits, or allow more "
                f"with budget=fs.Budget({remedy})"
            )
