"""Which kinds of functions a problem calls for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import final

import numpy as np

from fspielm.basis.exact.family import (
    Characteristic,
    evolves,
    fields_of_one_kind,
    neurons_for_reach,
    neurons_for_rings,
    reach_for,
    steady_neurons,
    wavenumber_of,
)
from fspielm.basis.exact.symbol import homogeneous_symbol
from fspielm.basis.singular.columns import open_conflicts, satisfies, special_columns
from fspielm.cells.patchwork import check_suitable
from fspielm.collocation.least_squares import QR
from fspielm.errors import ProblemError, UnsuitableError
from fspielm.estimate.bands import Bands, refine_bands
from fspielm.estimate.narrow import scrutinise
from fspielm.estimate.sensitivity import functions_up_to, passing_size
from fspielm.estimate.stability import hidden_of
from fspielm.problem.changes import corner_conflicts
from fspielm.problem.derived import leaves_constant_open
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.inside import varying_media
from fspielm.resources import limited_to
from fspielm.solvers.cells.first import narrowest_gap
from fspielm.solvers.plan import Trial, work
from fspielm.solvers.request import Request
from fspielm.solvers.strategies.cells import cells_for
from fspielm.solvers.strategies.exact import ExactFeatures, Families, exact_features
from fspielm.solvers.strategies.filled import filled_band, least_core
from fspielm.solvers.strategies.open_space import open_space
from fspielm.solvers.strategies.strategy import Stage, Step, why_failed
from fspielm.solvers.strategies.thin import thin_peaks, thin_spectrum

# ---- Cells before a filled band, or after it

# A filled band of so many operations is dear enough to ask what cells would take; those do theirs in smaller pieces,
# each of which takes longer, and begin with fewer rounds to come.
_DEAR = 2e11
_CHEAPER = 0.2
# Operations of a complex one, which cells count as what they are.
_COMPLEX = 4.0
# Something so much narrower than the domain is not held by a band that the machine could hold.
_NARROW = 1 / 60


def allows_cells(request: Request) -> bool:
    """Whether cells may be tried: not where something was asked for that they do not heed.

    Nor where values were measured: if a band does not meet them, they do not fit each other.
    """
    asked = request.points is not None or request.scaling != "rms" or bool(request.singular)
    measured = any(condition.kind == "measured" for condition in request.problem.conditions)
    return request.problem.dimension <= 2 and not (asked or measured) and isinstance(request.method, QR)


def first_with_cells(request: Request, bands: Bands, *, narrow: bool = True) -> Step:
    """The first step with cells; an UnsuitableError says what they do not know."""
    return cells_for(request, bands, narrow=narrow).first()


def cells_before_band(request: Request, bands: Bands, work_of_band: float) -> tuple[Step, str] | None:
    """The first step with cells, and why they come before a filled band of so many operations; None if they do not."""
    if not allows_cells(request):
        return None
    problem = request.problem
    if problem.interfaces:
        return first_with_cells(request, bands), "materials differ"
    narrow = [place.width for place in scrutinise(problem).places if place.kind == "narrow"]
    if min(narrow, default=float("inf")) < _NARROW * request.lengths.max():
        return first_with_cells(request, bands), "something in the data or the coefficients is narrow"
    if _narrowest_gap(request) < _NARROW * request.lengths.max():
        return first_with_cells(request, bands), "curves of the boundary all but touch"
    work_of_band *= _COMPLEX if request.itemsize == 16 else 1.0
    if work_of_band > _DEAR:
        cells = first_with_cells(request, bands)
        if cells.trial.work(problem) < _CHEAPER * work_of_band:
            return cells, "a filled band would cost far more"
    return None


def _narrowest_gap(request: Request) -> float:
    """The least width of the domain between two curves; infinite where nothing is cut out of it."""
    if not request.problem.domain.hole_places():
        return float("inf")

    return narrowest_gap(request.problem.domain)


# ---- The selection

# Exponentials beside the waves, and functions where there are few waves or none, by the number of dimensions.
_BESIDE_WAVES = 60
_LEAST = {1: 1, 2: 150}
_LEAST_ABOVE = 600
# Digits of data on the boundary that oscillate faster than the equation's waves, which exponentials have to hold.
_STEEP_DECADES = 4.0
# Of exponentials for those, so many times the least number, to begin with.
_MOST_STEEP = 3
# Of exponentials for what conditions let through: how much further they go, to hold it to many digits, and how many
# there are at most.
_PAST_PASSING = {2: 1.6}
_PAST_PASSING_ABOVE = 1.2
_MOST_PASSING = 3000
# Of those that are drawn, some are the same.
_SOME_MORE = 1.02
# Bands are generous: data that oscillate with the waves may seem to be faster by less than this.
_CLEARLY = 5.0
# From a round to the next: so many times the functions; so much higher frequencies of what evolves.
_GROWTH = 1.5
_WIDER = 1.2
# The first filled band seldom is the last, least of all where it is small; features for the right-hand side's peaks
# are less sure to be enough, and must be much cheaper.
_SHARE = {"characteristic": 3.0, "thin": 0.3}
# Data that hardly vary say nothing of the solution; a band around them is made larger until it is seen to suffice. So
# many operations are those of the thousand neurons that such bands often end with.
_GUESSED = work(1500, 1000)
# Of the time that is left, what may go into a look at functions that others can stand for.
_LOOKING = 0.3


@final
@dataclass(frozen=True, eq=False)
class Selection:
    """The first steps of the kinds of features to try, in that order, and why.

    Attributes
    ----------
    steps : tuple of Step
    why : str
    last : callable or None
        Makes the first step of what is tried where all of those fail.
    stand_ins : bool
        Whether all but the first are for a first one that finds nothing at all.
    dearer : tuple of Step
        What costs more than it may save, for when nothing else was good enough and time is left.
    """

    steps: tuple[Step, ...]
    why: str
    last: Callable[[], Step] | None = None
    stand_ins: bool = False
    dearer: tuple[Step, ...] = ()


def check_asked_for(request: Request) -> None:
    """Refuse a kind of functions that was asked for where the problem alone says that it does not suit.

    Raises
    ------
    ProblemError
    """
    if request.approach == "windows":
        raise ProblemError('approach="windows" is for fs.solve, which has several solutions then; take "patches" here')
    if request.problem.domain.is_unbounded and request.approach not in (None, "characteristic"):
        raise ProblemError(
            f"approach: {request.approach!r} is for bounded domains; open ones have functions of their own"
        )
    if request.approach == "patches":
        try:
            check_suitable(request.problem)
        except UnsuitableError as error:
            raise _no_cells(error) from None


def _no_cells(error: UnsuitableError) -> ProblemError:
    return ProblemError(f"approach: no cells for this problem: {error}")


def select_stages(request: Request, bands: Bands) -> Selection:
    """The kinds of features that a problem allows: a small basis first, unless it would save too little.

    Raises
    ------
    ProblemError
        If the one asked for does not suit the problem.
    """
    if request.problem.domain.is_unbounded:
        if varying_media(request.problem):
            from fspielm.solvers.strategies.lens import lens

            return Selection((lens(request).first(),), "functions of the object and cells in it, as its waves vary")
        return Selection((open_space(request, bands).first(),), "functions of the objects, as the domain is open")
    if request.approach == "patches":
        try:
            return Selection((first_with_cells(request, bands),), "asked for: polynomials in cells")
        except UnsuitableError as error:
            raise _no_cells(error) from None
    band = filled_band(request, bands).first()
    if request.approach == "band":
        return Selection((band,), "asked for: a filled band")
    if request.approach is None and request.problem.interfaces:  # which nothing that is smooth all over can follow
        return _whole_space(request, bands, band, np.inf, "a filled band, as materials differ")
    filled = band.trial
    limit = np.inf if request.approach is not None else _work_of_band(request, bands, filled)
    try:
        with limited_to(_LOOKING, "looking for a smaller basis"):
            small = _small_basis(request, bands, limit).first()
            trial = small.trial
            too_dear = trial.work(request.problem) > _SHARE[small.stage.approach] * limit
        if _passing(request.problem) and not passing_size(request.problem):
            too_dear = False  # a band would not hold what conditions let through
    except Exception as error:  # of whatever kind: a filled band serves every equation
        why = why_failed(error)
        if request.approach is not None:
            raise ProblemError(f"approach: no {request.approach} functions for this problem: {why}") from None
        return _whole_space(request, bands, band, limit, f"a filled band, as there is no smaller basis: {why}")
    if request.approach is not None:
        return Selection((small,), f"asked for: {trial.why}")
    if too_dear:
        why = f"a filled band of {filled.neurons} cosines, from which {trial.neurons} {trial.why} would save too little"
        return replace(_whole_space(request, bands, band, limit, why), dearer=(small,))
    why = f"{trial.why}: {trial.neurons}, where a filled band would begin with {filled.neurons}"
    return Selection((small, band), why, _cells_at_last(request, bands))


def _whole_space(request: Request, bands: Bands, band: Step, limit: float, why: str) -> Selection:
    """A filled band and then cells, or the other way round; `limit` is what the band costs."""
    try:
        with limited_to(_LOOKING, "laying out cells"):
            before = cells_before_band(request, bands, limit)
        if before is not None:
            cells, reason = before
            # a filled band would add nothing to cells where materials jump
            stand_ins = bool(request.problem.interfaces)
            return Selection((cells, band), f"{cells.trial.description}, as {reason}", stand_ins=stand_ins)
    except Exception as error:  # of whatever kind: a filled band serves every equation
        return Selection((band,), f"{why}, and cells do not suit: {why_failed(error)}")
    return Selection((band,), why, _cells_at_last(request, bands))


def _cells_at_last(request: Request, bands: Bands) -> Callable[[], Step] | None:
    return partial(first_with_cells, request, bands) if allows_cells(request) else None


def _work_of_band(request: Request, bands: Bands, first: Trial) -> float:
    """What a filled band would cost: its first round, or, where that is a guess, the rounds that follow a guess."""
    problem = request.problem
    begun = first.work(problem)
    silent = problem.is_homogeneous
    guessed = np.all(bands.frequencies <= least_core(np.zeros(problem.dimension), request.lengths))
    return max(begun, _GUESSED) if silent and guessed else begun


def _small_basis(request: Request, bands: Bands, limit: float) -> Stage:
    """The stage of features that make use of the equation; an UnsuitableError says why there is none."""
    problem = request.problem
    if request.approach is None:
        _refuse_rough(request, bands)
    homogeneous = problem.is_homogeneous
    if request.approach == "characteristic" or (request.approach is None and homogeneous):
        return _exact_features(request, bands, limit)
    if homogeneous:
        raise UnsuitableError("the right-hand side is zero")
    if len(problem.unknowns) > 1 or problem.dtype.kind == "c":
        raise UnsuitableError("the equations have right-hand sides")
    if request.reuse:
        raise UnsuitableError("a plan serves other right-hand sides as well")
    peaks = thin_peaks(problem, bands, request.streams.probes, request.budget.memory_limit)
    if not peaks:
        raise UnsuitableError("the right-hand side has no spectrum of a few peaks")
    return thin_spectrum(request, bands, tuple(peaks), limit)


def _exact_features(request: Request, bands: Bands, limit: float) -> ExactFeatures:
    problem, singular = request.problem, request.singular
    homogeneous_symbol(problem)
    if singular is not None and not all(satisfies(problem, c) for c in special_columns(problem, singular)):
        raise UnsuitableError("the singular functions asked for do not satisfy the equation")
    families = _evolving_families(request, bands) if evolves(problem) else _steady_families(problem, bands)
    return exact_features(request, families, limit, _exact_features)


def _refuse_rough(request: Request, bands: Bands) -> None:
    """Refuse what would only cost rounds: solutions that are not smooth, or not determined."""
    problem = request.problem
    if bands.unsettled:
        raise UnsuitableError(f"the data of {', '.join(map(repr, bands.unsettled))} are not smooth")
    if problem.missing:
        raise UnsuitableError("what is known does not determine the solution")
    if leaves_constant_open(problem):
        raise UnsuitableError("the solution is determined only up to a constant")
    if corner_conflicts(problem) if request.singular is False else open_conflicts(problem):
        raise UnsuitableError("the data do not meet at a corner")


def _steady_families(problem: Problem, bands: Bands) -> Families:
    """As many functions as should do if nothing is close to the boundary outside, then half as many again each time."""
    highest = float(bands.frequencies.max())
    along = highest if highest > _CLEARLY * wavenumber_of(problem) else 0.0
    times = fields_of_one_kind(problem)
    least = times * _LEAST.get(problem.dimension, _LEAST_ABOVE)
    waves = steady_neurons(problem, 0.0, 0.0)
    # steep data may be those of a source close by, which more exponentials do not hold
    steep = min(steady_neurons(problem, along, _STEEP_DECADES) - waves, _MOST_STEEP * least)
    # on a line there are no more than these
    first = waves if problem.dimension == 1 else max(waves + steep + times * _BESIDE_WAVES, least, _passing(problem))
    return lambda enlarged: Characteristic(int(first * _GROWTH**enlarged))


def _passing(problem: Problem) -> int:
    """As many as hold what the conditions let through; none where there is no such thing, or it takes too many."""
    highest = max((function.frequency for function in hidden_of(problem).passing), default=0.0)
    if not 0.0 < highest < np.inf:
        return 0
    past = _PAST_PASSING.get(problem.dimension, _PAST_PASSING_ABOVE)
    held = int(_SOME_MORE * functions_up_to(problem, highest))
    number = max(neurons_for_rings(problem, past * highest, _MOST_PASSING), held)
    return number if number <= _MOST_PASSING else 0


def _evolving_families(request: Request, bands: Bands) -> Families:
    """Frequencies as far as those of the data, with what an extension of them needs, then farther each time."""
    problem = request.problem
    highest = refine_bands(problem, bands, request.streams.probes).frequencies
    periods = 2 * np.pi / request.lengths

    def family(enlarged: int) -> Characteristic:
        reach = reach_for(problem, _WIDER**enlarged * highest + enlarged * periods)
        return Characteristic(neurons_for_reach(problem, reach), reach)

    return family
