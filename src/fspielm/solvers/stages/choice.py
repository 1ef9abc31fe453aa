"""Which kinds of features a problem calls for, the cheapest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.equations import Problem, corner_conflicts
from fspielm.errors import ProblemError
from fspielm.features import homogeneous_symbol, neurons_needed
from fspielm.solvers.probing import satisfies
from fspielm.solvers.rounds import Run
from fspielm.solvers.special import special_columns
from fspielm.solvers.stages.exact import ExactFeatures
from fspielm.solvers.stages.filled import FilledBand
from fspielm.solvers.stages.stage import Stage
from fspielm.solvers.stages.thin import ThinSpectrum, thin_features
from fspielm.spectrum import Bands

# Exponentials beside the waves, and functions where there are few waves or none, by the number of dimensions.
_BESIDE_WAVES = 60
_LEAST = {1: 8, 2: 150}
_LEAST_ABOVE = 600
# The first filled band seldom is the last, least of all where it is small; features for the right-hand side's peaks
# are less sure to be enough, and must be much cheaper.
_SHARE = {"characteristic": 3.0, "thin": 0.3}


@final
@dataclass(frozen=True, eq=False)
class Selection:
    """Stages in the order in which they are tried, and why.

    Attributes
    ----------
    stages : list of Stage
    why : str
    """

    stages: list[Stage]
    why: str


def select_stages(run: Run, bands: Bands) -> Selection:
    """The kinds of features that a problem allows, ordered by their cost.

    Raises
    ------
    ProblemError
        If the one asked for does not suit the problem.
    """
    band = FilledBand(run, bands)
    if run.approach == "band":
        return Selection([band], "a filled band was asked for")
    filled = band.first()
    limit = np.inf if run.approach is not None else filled.work(run.problem)
    try:
        small = _small_basis(run, bands, limit)
    except ProblemError as error:
        if run.approach is not None:
            raise ProblemError(f"approach: no {run.approach} features for this problem: {error}") from None
        return Selection([band], f"a filled band, as there is no smaller basis: {error}")
    trial = small.first()
    if run.approach is not None:
        return Selection([small], f"{trial.why} were asked for")
    if trial.work(run.problem) > _SHARE[small.approach] * limit:
        return Selection([band], f"a filled band of {filled.neurons} cosines, cheaper than {trial.neurons} {trial.why}")
    return Selection(
        [small, band], f"{trial.why}: {trial.neurons}, where a filled band would begin with {filled.neurons}"
    )


def _small_basis(run: Run, bands: Bands, limit: float) -> Stage:
    """The stage of features that make use of the equation; a ProblemError says why there is none."""
    problem = run.problem
    if run.approach is None:
        _refuse_rough(problem, bands)
    homogeneous = problem.right_hand_side.constant == 0.0
    if run.approach == "characteristic" or (run.approach is None and homogeneous):
        return _exact_features(run, bands, limit)
    if homogeneous:
        raise ProblemError("the right-hand side is zero")
    if run.reuse:
        raise ProblemError("a plan serves other right-hand sides as well")
    family = thin_features(run, bands)
    if family is None:
        raise ProblemError("the right-hand side has no spectrum of a few peaks")
    return ThinSpectrum(run, bands, family, limit)


def _exact_features(run: Run, bands: Bands, limit: float) -> ExactFeatures:
    problem = run.problem
    homogeneous_symbol(problem)
    if run.singular is not None and not all(satisfies(problem, c) for c in special_columns(problem, run.singular)):
        raise ProblemError("the singular functions asked for do not satisfy the equation")
    return ExactFeatures(run, _first_number(problem, bands), limit)


def _refuse_rough(problem: Problem, bands: Bands) -> None:
    """Refuse what would only cost rounds: solutions that are not smooth, or not determined."""
    if bands.unsettled:
        raise ProblemError(f"the data of {', '.join(map(repr, bands.unsettled))} are not smooth")
    if problem.missing:
        raise ProblemError("what is known does not determine the solution")
    if corner_conflicts(problem):
        raise ProblemError("the data do not meet at a corner")


def _first_number(problem: Problem, bands: Bands) -> int:
    """How many functions should do, if nothing is close to the boundary outside."""
    if problem.domain.time is not None:
        raise ProblemError("the solution evolves in time")
    least = _LEAST.get(problem.dimension, _LEAST_ABOVE)
    return max(neurons_needed(problem) + _BESIDE_WAVES, least)
