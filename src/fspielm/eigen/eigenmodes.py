"""eigenmodes(): eigenvalues and eigenfunctions of linear problems."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial

import numpy as np
import sympy as sp

from fspielm.collocation.least_squares import QR
from fspielm.eigen.by_cells import by_cells
from fspielm.eigen.membranes.membrane import membrane_of
from fspielm.eigen.membranes.search import direct_modes
from fspielm.eigen.modes import Modes, Wish, errors_above, preferred
from fspielm.eigen.pencil import Pencil, read_pencil, read_wish
from fspielm.eigen.resonances.find import resonances
from fspielm.eigen.search import Outlook, modes_bands, outlook_of
from fspielm.errors import AccuracyWarning, ProblemError, SolveError
from fspielm.problem.problem import Problem
from fspielm.solvers.request import Approach, Budget, Progress, Request, Streams, check_approach, offering, reporter
from fspielm.solvers.round import Record
from fspielm.solvers.solve import check_arguments


@offering(lambda modes: modes, "modes")
def eigenmodes(
    problem: Problem,
    lam: sp.Symbol,
    *,
    count: int | None = None,
    within: tuple[complex, complex] | None = None,
    tol: float = 1e-8,
    budget: Budget | None = None,
    rng: int | np.random.Generator | None = None,
    progress: bool | Progress | None = None,
    approach: Approach | None = None,
) -> Modes:
    """Values of a symbol at which a linear problem without data has solutions, and these.

    Parameters
    ----------
    problem : Problem
        Linear, with zero on all right-hand sides and in all conditions, and with the symbol open. Equations and
        conditions must be polynomials in the symbol.
    lam : Symbol
        The eigenvalue.
    count : int, optional
        How many modes: the first from the end of the spectrum, such as the lowest of ``-u'' = lam u``; without such an
        end, those closest to zero.
    within : (float, float) or (complex, complex), optional
        Instead of a count, an interval: all real values in it. On an open domain a rectangle of the complex plane by
        its lower left and upper right corner, ``(1 - 0.5j, 3)``: all resonances in it.
    tol : float
        Tolerance for the error bound of each value, relative to the value, or to the first values if it is smaller.
    budget, rng
        As for `solve`.
    progress : bool or callable, optional
        As for `solve`; searches without cells and rounds report each search and each mode instead.
    approach : {"patches", "band"}, optional
        The kind of functions on bounded domains; by default polynomials on cells in the plane, cosines that fill a band
        in space, and for membranes functions that satisfy the equation.

    Returns
    -------
    Modes
        With a bound for the error of each value, or an estimate if the problem is not selfadjoint or the domain is
        open. An `AccuracyWarning` lists values that miss the tolerance, and says if modes may be missing.

    Raises
    ------
    ProblemError
        If an argument is wrong, the problem has data, or the interval has no real value but complex ones nearby.
    SolveInterrupted
        After Ctrl-C; its `modes` are those found so far.
    """
    if isinstance(problem, Problem) and problem.domain.is_unbounded:
        if approach is not None:
            raise ProblemError(f"approach: {approach!r} is for bounded domains; open ones have functions of their own")
        return _with_warnings(
            resonances(problem, lam, count=count, within=within, tol=tol, budget=budget, rng=rng, progress=progress)
        )
    wish, interval = read_wish(count, within)
    pencil = read_pencil(problem, lam)
    outlook = outlook_of(pencil)
    first = pencil.at(outlook.shift)
    check_arguments(first, tol, budget)
    check_approach(approach)
    streams, seed = Streams.spawned(rng)
    record = Record(budget or Budget())
    kind: Approach = approach or ("patches" if problem.dimension < 3 else "band")
    asked = Request(
        first, tol, record.budget, streams, seed, progress=reporter(progress), method=QR(), approach=kind, reuse=True
    )
    record.look(partial(modes_bands, pencil, outlook, wish, interval, asked))
    wanted = Wish(wish, interval, outlook.unit)
    membrane = membrane_of(pencil) if approach is None else None
    direct = None if membrane is None else direct_modes(membrane, wanted, asked, record)
    if direct is None:
        found = by_cells(pencil, wanted, asked, record, outlook, refine=approach is None)
    elif errors_above(direct, tol, outlook.unit) and record.seconds_left > 0:
        found = _improve_by_cells(direct, pencil, wanted, asked, record, outlook)
    else:
        found = direct
    _with_warnings(found)
    if found.selfadjoint:
        return found
    estimates = "the problem is not selfadjoint, or not in a way that bounds follow from: errors are estimates"
    return replace(found, remarks=(*found.remarks, estimates))


def _improve_by_cells(
    direct: Modes, pencil: Pencil, wish: Wish, request: Request, record: Record, outlook: Outlook
) -> Modes:
    """Modes that miss the tolerance in part, or those that cells find if they are better."""

    def better(other: Modes | None) -> Modes:
        return direct if other is None else preferred(direct, other, request.tol, wish.unit)

    try:
        with offering(better):
            return better(by_cells(pencil, wish, request, record, outlook, refine=True))
    except (ProblemError, SolveError):  # cells exceed the budget
        return direct


def _with_warnings(modes: Modes) -> Modes:
    """The modes, with their remarks issued as warnings."""
    for remark in modes.remarks:
        warnings.warn(remark, AccuracyWarning, stacklevel=4)
    return modes
