"""eigenmodes(): eigenvalues and eigenfunctions of linear problems; the way by cells."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest

import numpy as np
import sympy as sp

from fspielm.collocation.least_squares import QR
from fspielm.eigen.membranes.membrane import membrane_of
from fspielm.eigen.membranes.search import direct_modes
from fspielm.eigen.modes import (
    ROUGH_TOL,
    Mode,
    Modes,
    Window,
    Wish,
    accuracy_remarks,
    errors_above,
    interrupted_modes,
    preferred,
)
from fspielm.eigen.pencil import Pencil, read_pencil, read_wish
from fspielm.eigen.refined import Notary, Refined, exact_functions, refined
from fspielm.eigen.resonances.find import resonances
from fspielm.eigen.rounds import Searched, Task, result_of, search, too_late
from fspielm.eigen.search import (
    Outlook,
    Part,
    disagreements,
    end_remarks,
    inside,
    join_windows,
    lowest,
    modes_bands,
    outlook_of,
    second_search,
    sweep,
    uncertain_neighbour,
    why_incomplete,
    within_margin,
)
from fspielm.errors import AccuracyWarning, ProblemError, SolveError, UnsuitableError
from fspielm.problem.problem import Problem
from fspielm.resources import Deadline
from fspielm.solvers.request import (
    LONG,
    Approach,
    Budget,
    Progress,
    Request,
    Streams,
    check_approach,
    offering,
    reporter,
)
from fspielm.solvers.round import Ending, Record, Step
from fspielm.solvers.solve import check_arguments
from fspielm.solvers.strategies.cells import Cells
from fspielm.wording import MORE_TIME


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


# ---- Modes by cells, refined with functions that satisfy the equations where there are any


def by_cells(pencil: Pencil, wish: Wish, request: Request, record: Record, outlook: Outlook, *, refine: bool) -> Modes:
    """The wanted modes; first to a few digits if other functions can refine them."""
    exact = refine and _has_exact_functions(pencil, request, record, outlook)
    first = replace(request, tol=max(request.tol, ROUGH_TOL)) if exact else request
    notary, better = Notary(pencil, request, record), list[list[Refined] | None]()
    with offering(lambda parts: _found_so_far(notary, wish, parts or (), better)):
        if wish.interval is None:
            assert wish.count is not None
            parts = [lowest(pencil, first, record, outlook, wish.count, roughly=exact)]
        else:
            parts = sweep(pencil, first, record, outlook, wish, roughly=exact)
        for place, (window, searched) in enumerate(parts if exact else ()):
            owed = sum(other.best.searching for _, other in parts) - searched.best.searching
            here = replace(request, problem=pencil.at(window.shift))
            task = Task(pencil, here, window, searched.best.inverse.unit, owed=owed)
            with offering(partial(_replace_part, parts, place)):
                further, own = _refine(task, request, record, searched)
            parts[place] = window, further
            better.append(own)
        with offering(lambda _: parts):
            return _combine(notary, wish, parts, better, wish.margin(first.tol))


def _replace_part(parts: Sequence[Part], place: int, further: Searched | None) -> Sequence[Part]:
    """The parts after a further search in one of them."""
    return parts if further is None else [*parts[:place], (parts[place][0], further), *parts[place + 1 :]]


def _has_exact_functions(pencil: Pencil, request: Request, record: Record, outlook: Outlook) -> bool:
    """Whether there are functions that satisfy the equations and may refine modes."""
    assert record.bands is not None
    problem = pencil.problem
    if problem.dimension != 2:
        return False
    # corner functions are not known for plates and systems, where other functions do not help
    order = max(equation.operator.order for equation in problem.equations)
    if problem.domain.corners() and (order > 2 or len(problem.unknowns) > 1):
        return False
    try:
        exact_functions(pencil, request, outlook.end + (outlook.direction or 1) * outlook.unit, record.bands, 0)
    except (ProblemError, UnsuitableError):
        return False
    return True


def _refine(task: Task, request: Request, record: Record, searched: Searched) -> tuple[Searched, list[Refined] | None]:
    """Modes refined with functions that satisfy the equations; if that fails, the search goes on."""
    best = searched.best
    if not len(best.wanted):
        return searched, None
    better = refined(best, best.error * best.sizes, request, record)
    if better is not None:
        return searched, better
    step = _next_step(task, searched, record)
    if isinstance(step, Ending):
        return replace(searched, ending=step.reason), None
    return search(task, step, record, best), None


def _next_step(task: Task, searched: Searched, record: Record) -> Step | Ending:
    """The next step after a rough search, for the tolerance asked for."""
    best, step = searched.best, searched.step
    assert best.combined is not None
    assert isinstance(step.strategy, Cells)
    strategy = replace(step.strategy, request=task.request)
    if late := too_late(record, best, task.owed):
        return Ending(late)
    if best.plan is not step.plan:  # that was beyond the budget
        return Step(step.plan, strategy)
    return strategy.next(result_of(best, best.combined, best.error))


def _incomplete_remarks(parts: Sequence[Part], wish: Wish, record: Record) -> list[str]:
    """Remarks on modes that were not found, or not searched for."""
    window, searched = parts[-1]
    best = searched.best
    is_late = any(part.best.found.is_cut for _, part in parts) or bool(too_late(record, best))
    if wish.count is not None and len(best.wanted) < wish.count:
        some = f"{len(best.wanted)} of {wish.count} modes were found"
        if is_late:
            return [f"{some}; {MORE_TIME}"]
        return [f"{some}: there may be no more that can be told from errors; look for others with within=(a, b)"]
    if len(window.behind(best.found.mu)):
        some = "there are values before those that are given"
        if is_late:
            return [f"{some}, and no time was left to look there; {MORE_TIME}"]
        return [f"{some}, and no shift was found that is before all of them; look there with within=(a, b)"]
    if wish.interval is not None and window.upper < wish.interval[1]:
        return [f"from {window.upper:.6g} to {wish.interval[1]:.6g} no time was left to look; {MORE_TIME}"]
    if any(part.best.found.is_cut for _, part in parts):
        return [f"there was no time to find all modes: some may be missing; {MORE_TIME}"]
    return []


def _combine(
    notary: Notary, wish: Wish, parts: Sequence[Part], better: Sequence[Sequence[Refined] | None], margin: float
) -> Modes:
    """All modes with the remarks on them."""
    tol, unit = notary.request.tol, parts[0][1].best.inverse.unit
    unseen = _incomplete_remarks(parts, wish, notary.record)
    each = _modes_by_part(notary, parts, better)
    modes = inside(join_windows(each), wish)
    why = next((searched.ending for _, searched in parts if searched.ending), "")
    if notary.record.seconds_left <= 0 and any(mode.estimate == math.inf for mode in modes):
        why = too_late(notary.record, parts[-1][1].best)
    # only after all modes, which are more useful
    doubts = [second_search(notary.pencil, notary.request, notary.record, part) for part in parts]
    if notary.record.seconds_left > 0 or not any(doubts):  # otherwise a remark mentions the lack of time already
        doubts += [uncertain_neighbour(searched.best, notary.record) for _, searched in parts]
    remarks = [*filter(None, dict.fromkeys(doubts)), *disagreements(each), *unseen]
    selfadjoint = all(searched.best.inverse.symmetric for _, searched in parts)
    remarks += filter(None, [why_incomplete(notary.request.problem)])
    complete = selfadjoint and not remarks and within_margin(each, margin)
    remarks += [*end_remarks(modes, wish), *accuracy_remarks(modes, tol, unit, why)]
    return Modes(tuple(modes), selfadjoint, complete, tuple(remarks))


def _modes_by_part(
    notary: Notary, parts: Sequence[Part], better: Sequence[Sequence[Refined] | None]
) -> list[tuple[Window, list[Mode]]]:
    """The modes of each part."""
    both = zip_longest(parts, better)  # some are not refined
    return [(window, notary.modes(searched, own)) for (window, searched), own in both]


def _found_so_far(
    notary: Notary, wish: Wish, parts: Sequence[Part], better: Sequence[Sequence[Refined] | None]
) -> Modes | None:
    """The modes found by an incomplete search; None if there are none."""
    if not parts:
        return None
    record = notary.record
    record.deadline = record.deadline.tightened(Deadline.within(LONG))
    modes = inside(join_windows(_modes_by_part(notary, parts, better)), wish)
    selfadjoint = all(searched.best.inverse.symmetric for _, searched in parts)
    return interrupted_modes(modes, selfadjoint, notary.request.tol, parts[0][1].best.inverse.unit)
