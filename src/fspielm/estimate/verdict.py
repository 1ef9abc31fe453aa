"""Is the answer good enough, and if not, why and what would help."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fspielm.estimate.bands import Bands
from fspielm.estimate.estimate import ILL_POSED, NO_DIGITS, ErrorEstimate
from fspielm.problem.changes import corner_conflicts
from fspielm.problem.interfaces import kinks
from fspielm.problem.problem import Problem


@dataclass(frozen=True)
class Verdict:
    """Whether a solution meets its tolerance.

    Attributes
    ----------
    converged : bool
    reason : str
        One sentence: the cause, and what would help.
    """

    converged: bool
    reason: str


def judge(
    problem: Problem,
    estimate: ErrorEstimate,
    tol: float,
    ending: str,
    bands: Bands | None = None,
    failure: str = "",
    *,
    more_helps: bool = False,
) -> Verdict:
    """Judge an estimate by `tol`; `ending` says why the solver stopped, `failure` what failed, `more_helps` itself."""
    error = estimate.relative
    if error <= tol:
        if estimate.scale == 0.0:
            return Verdict(True, "all data are zero, and so is the solution")
        return Verdict(
            True, f"the error estimate {error:.1e} meets the tolerance {tol:.0e}{_without_digits(problem, estimate)}"
        )
    cause = (
        failure
        or _missing(problem)
        or _kinks(problem, estimate)
        or estimate.beyond
        or _ill_posed(estimate)
        or (ending if more_helps else None)
        or _corners(problem)
        or _rough_data(problem, bands)
        or _narrow(estimate, ending)
        or ending
        or "the functions and points chosen by hand do not reach further; add functions, or leave features= automatic"
    )
    finding = f"the error estimate {error:.1e} misses" if np.isfinite(error) else "no digits are reliable; this misses"
    return Verdict(False, f"{finding} the tolerance {tol:.0e}: {cause}{_suggestion(estimate)}")


def _without_digits(problem: Problem, estimate: ErrorEstimate) -> str:
    """Which unknowns are too small beside the others for digits of their own."""
    told = []
    for name in problem.names if estimate.fields else ():
        parts = [estimate.fields[place] for place in problem.places(name)]
        own, size = math.hypot(*(part.scale for part in parts)), max(part.size for part in parts)
        if 0 < own < NO_DIGITS * size:
            told.append(
                f"; {name}, about {own:.0e}, has no digit of its own: its error is relative to {size:.0e}, its natural "
                "size beside the other unknowns"
            )
    return "".join(told)


def _suggestion(estimate: ErrorEstimate) -> str:
    """What the residual suggests where nothing is certain: tells a useless field from one that may be of use."""
    if np.isfinite(estimate.relative) or not estimate.data > 0:
        return ""
    share = estimate.residual / estimate.data
    return f" (the residual alone, {share:.0e} of the data, suggests an error of about that size)"


def _missing(problem: Problem) -> str | None:
    if not problem.missing:
        return None
    return f"what is known does not determine the solution, of which this is one of many: {problem.missing}"


def _kinks(problem: Problem, estimate: ErrorEstimate) -> str | None:
    names = kinks(problem, estimate.residuals)
    if not names:
        return None
    return (
        f"materials jump across {', '.join(map(repr, names[:3]))}{' and others' * (len(names) > 3)}, where the "
        "solution has a kink or a jump, which functions that are smooth all over the domain cannot follow"
    )


def _ill_posed(estimate: ErrorEstimate) -> str | None:
    if not estimate.amplification > ILL_POSED:
        return None
    null = estimate.null_function
    if len(null) and max(np.ptp(null.real), np.ptp(null.imag)) < 1e-3 * np.abs(null).max():
        if estimate.residual > 1e-6 * estimate.data:
            return (
                "the solution is determined only up to a constant, and the data are not compatible with any: source "
                "and fluxes do not balance; correct one of them"
            )
        return (
            "the solution is determined only up to a constant, for which the data are compatible; prescribe values "
            "on one part of the boundary, fs.Dirichlet(..., on=...) in the place of its fs.Neumann, or the value at a "
            "point, fs.Measured([point], [value])"
        )
    return (
        f"the problem is ill-posed or close to a resonance: errors may be {estimate.amplification:.0e} times the "
        "residual; check that no condition is missing, or move the coefficients off the resonance"
    )


def _narrow(estimate: ErrorEstimate, ending: str) -> str | None:
    """What is narrow, and with it why there were no more features, which may be all that it takes."""
    if estimate.unresolved is None:
        return None
    remedy = f"besides, {ending}" if ending else "make it wider, or expect few digits"
    return f"{estimate.unresolved}, and the functions do not resolve it; {remedy}"


def _corners(problem: Problem) -> str | None:
    conflicts = corner_conflicts(problem)
    if not conflicts:
        return None
    return f"the solution is not smooth: {conflicts[0]}; make the data meet there, or expect low accuracy near it"


def _rough_data(problem: Problem, bands: Bands | None) -> str | None:
    if bands is None or not bands.unsettled:
        return None
    split = "move the borders of the regions to" if problem.interfaces else "split the domain"
    return (
        f"the solution is not smooth: the data of {', '.join(map(repr, bands.unsettled))} have jumps, kinks or "
        f"noise; smooth them, or {split} where they are"
    )
