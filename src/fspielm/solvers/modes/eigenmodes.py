"""eigenmodes(): values of a symbol at which a problem without data has solutions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import sympy as sp

from fspielm.equations import Problem
from fspielm.errors import AccuracyWarning, ProblemError, UnsuitableError
from fspielm.linalg import QR
from fspielm.solvers.approach import Approach, check_approach
from fspielm.solvers.budget import Budget
from fspielm.solvers.modes.bound_away import why_hidden
from fspielm.solvers.modes.checks import read_pencil, read_wish
from fspielm.solvers.modes.exact import exact_functions
from fspielm.solvers.modes.fields import Notary
from fspielm.solvers.modes.high import high_modes, is_high, membrane_of
from fspielm.solvers.modes.modes import Mode, Modes, late_ones
from fspielm.solvers.modes.pencil import Pencil
from fspielm.solvers.modes.refined import Refined, refined
from fspielm.solvers.modes.rounds import Searched, attempt_of, search
from fspielm.solvers.modes.second import missed
from fspielm.solvers.modes.shift import Outlook, outlook_of
from fspielm.solvers.modes.sweep import lowest, modes_bands, sweep
from fspielm.solvers.modes.window import Window
from fspielm.solvers.progress import Progress, reporter
from fspielm.solvers.randomness import Streams
from fspielm.solvers.record import Record
from fspielm.solvers.request import Request
from fspielm.solvers.solve import check_arguments
from fspielm.solvers.stages import Ending, Step
from fspielm.solvers.stages.cells import Cells

# What is enough to refine modes from.
_ROUGHLY = 1e-3


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
        Linear, with zero on all right-hand sides and in all conditions, and with the symbol open, ``given={lam: ...}``;
        a value in the place of the dots has no meaning. The symbol may occur as polynomials do, in equations and
        conditions.
    lam : Symbol
        The eigenvalue.
    count : int, optional
        How many modes: the first ones from the end of the spectrum, the lowest of ``-u'' = lam u`` for one; where there
        is no such end, those closest to zero.
    within : (float, float) or (complex, complex), optional
        All real values in an interval, instead. On an open domain all resonances in a rectangle of the complex plane,
        by its lower left and its upper right corner, ``(1 - 0.5j, 3)``.
    tol : float
        Error of each value relative to it, or to the first values where it is less, measured by its bound.
    budget, rng, progress
        As for `solve`.
    approach : {"patches", "band"}, optional
        The kind of functions; by default polynomials in cells, and in space cosines that fill a band.

    Returns
    -------
    Modes
        With a bound for the error of each value, or an estimate where the problem is not selfadjoint, or open. An
        `AccuracyWarning` tells of those that miss the tolerance, and of modes that may be missing.

    Raises
    ------
    ProblemError
        If an argument is wrong, the problem has data, or there is no real value in the interval but complex ones are
        close.
    """
    if isinstance(problem, Problem) and problem.domain.is_unbounded:
        from fspielm.solvers.resonances import resonances  # few domains are open

        return _told(resonances(problem, lam, count=count, within=within, tol=tol, budget=budget, rng=rng), 3)
    wish, interval = read_wish(count, within)
    pencil = read_pencil(problem, lam)
    outlook = outlook_of(pencil)
    check_arguments(pencil.at(outlook.shift), tol, None, None, None, budget)
    check_approach(approach)
    streams, seed = Streams.spawned(rng)
    record = Record(budget or Budget())
    kind: Approach = approach or ("patches" if problem.dimension < 3 else "band")
    asked = Request(
        pencil.at(outlook.shift),
        tol,
        record.budget,
        streams,
        seed,
        progress=reporter(progress),
        method=QR(),
        approach=kind,
        reuse=True,
    )
    record.look(modes_bands(pencil, outlook, wish, interval, asked), 0.0)
    membrane = membrane_of(pencil) if approach is None and interval is not None else None
    if membrane is not None and interval is not None and is_high(membrane, interval):
        return _told(high_modes(membrane, interval, asked, record), 3)
    exact = approach is None and _has_exact(pencil, asked, record, outlook)
    first = replace(asked, tol=max(tol, _ROUGHLY)) if exact else asked
    if interval is None:
        assert wish is not None
        parts = [lowest(pencil, first, record, outlook, wish, roughly=exact)]
    else:
        parts = sweep(pencil, first, record, outlook, interval, roughly=exact)
    better: list[list[Refined] | None] = [None] * len(parts)
    if exact:
        for place, (window, searched) in enumerate(parts):
            parts[place], better[place] = _refine(pencil, asked, record, window, searched)
    return _together(Notary(pencil, asked, record), parts, better)


def _has_exact(pencil: Pencil, request: Request, record: Record, outlook: Outlook) -> bool:
    """Whether there are functions that satisfy the equations, by which modes may be refined."""
    assert record.bands is not None
    problem = pencil.problem
    if problem.dimension != 2:
        return False
    # corner functions of plates and of systems are not known, and others are of no use there
    order = max(equation.operator.order for equation in problem.equations)
    if problem.domain.corners() and (order > 2 or len(problem.unknowns) > 1):
        return False
    try:
        exact_functions(pencil, request, outlook.end + (outlook.direction or 1) * outlook.unit, record.bands, 0)
    except (ProblemError, UnsuitableError):
        return False
    return True


def _refine(
    pencil: Pencil, request: Request, record: Record, window: Window, searched: Searched
) -> tuple[tuple[Window, Searched], list[Refined] | None]:
    """Modes with functions that satisfy the equations; where these do not suit, the search goes on."""
    best = searched.best
    if not len(best.wanted):
        return (window, searched), None
    better = refined(best, best.error * best.sizes, request, record)
    if better is not None:
        return (window, searched), better
    here = replace(request, problem=pencil.at(window.shift))
    step = _further(searched, here)
    if isinstance(step, Ending):
        return (window, replace(searched, checks=best.singles(), ending=step.reason)), None
    try:
        return (window, search(pencil, here, window, step, record, best.inverse.unit)), None
    except ProblemError as error:  # not even one round can be afforded
        return (window, replace(searched, checks=best.singles(), ending=str(error))), None


def _further(searched: Searched, request: Request) -> Step | Ending:
    """What comes after a search that was to be rough, for a tolerance that is not."""
    best, step = searched.best, searched.step
    assert best.combined is not None
    assert isinstance(step.stage, Cells)
    stage = replace(step.stage, request=request)
    if best.trial is not step.trial:  # which could not be afforded
        return Step(step.trial, stage)
    return stage.next(attempt_of(best, best.combined, best.error))


def _together(
    notary: Notary, parts: list[tuple[Window, Searched]], better: Sequence[Sequence[Refined] | None]
) -> Modes:
    """All modes, with what there is to say about them."""
    tol, unit = notary.request.tol, parts[0][1].best.inverse.unit
    modes: list[Mode] = []
    remarks: list[str] = []
    for (_, searched), own in zip(parts, better, strict=True):
        modes += notary.modes(searched, own)
        remarks += filter(None, [missed(notary.pencil, notary.request, notary.record, searched)])
    selfadjoint = all(searched.best.inverse.symmetric for _, searched in parts)
    remarks += filter(None, [why_hidden(notary.request.problem)])
    complete = selfadjoint and not remarks and all(np.isfinite(mode.estimate) for mode in modes)
    why = next((searched.ending for _, searched in parts if searched.ending), "")
    remarks += late_ones(modes, tol, unit, why)
    found = _told(Modes(tuple(modes), selfadjoint, complete, tuple(remarks)))
    if selfadjoint:
        return found
    estimates = "the problem is not selfadjoint, or not in a way that bounds follow from: errors are estimates"
    return replace(found, remarks=(*found.remarks, estimates))


def _told(modes: Modes, stacklevel: int = 4) -> Modes:
    """With warnings of what there is to know."""
    for remark in modes.remarks:
        warnings.warn(remark, AccuracyWarning, stacklevel=stacklevel)
    return modes
