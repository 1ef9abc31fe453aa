"""How wrong a solution may be, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray, safe_norm
from fspielm.collocation.system import BlockResidual
from fspielm.estimate.bands import Bands
from fspielm.estimate.narrow_search import Narrow
from fspielm.numerics.tolerances import CLOSE, ROUNDING
from fspielm.problem.changes import corner_conflicts
from fspielm.problem.derived import natural_scales
from fspielm.problem.interfaces import kinks
from fspielm.problem.problem import Problem

# A well-posed problem amplifies its scaled residual by at most some thousands; only a missing condition or a resonance
# amplifies it by more than this.
ILL_POSED = 1e7
# With a relative error of this size no digit is reliable, nor is the estimate.
NO_DIGITS = 0.5


@final
@dataclass(frozen=True)
class FieldEstimate:
    """How wrong one unknown may be, as in `ErrorEstimate`.

    Errors are relative to `size`: for an unknown that is zero beside its natural size, that size; for a part of a
    complex unknown, the size of both parts.
    """

    relative: float
    largest: float
    rounding: float
    scale: float
    growth: float
    size: float = 0.0

    def with_error(self, error: float) -> FieldEstimate:
        """The estimate with a further root mean square error."""
        if error == 0.0 or not math.isfinite(self.relative):
            return self
        known = self.relative * self.size / (1 + self.relative) + error
        relative = known / (self.size - known) if known < NO_DIGITS * self.size else math.inf
        more = relative / self.relative if self.relative > 0 else math.inf
        return replace(self, relative=relative, largest=self.largest * more if self.largest > 0 else relative)


@final
@dataclass(frozen=True, eq=False)
class CellErrors:
    """How wrong a solution may be because of each of C cells."""

    relative: FloatArray  # (C,): the largest contribution of the cell to the relative error; squares add up
    amplification: FloatArray  # (C,): the ratio of that to the deviation in the cell, in scaled rows


def together(fields: Sequence[FieldEstimate]) -> FieldEstimate:
    """The estimate for a complex unknown from its real and imaginary part, both relative to its size."""
    if len(fields) == 1:
        return fields[0]

    def joined(name: str) -> float:
        return math.hypot(*(getattr(field, name) for field in fields))

    return FieldEstimate(**{each.name: joined(each.name) for each in dataclass_fields(FieldEstimate)})


@final
@dataclass(frozen=True, eq=False)
class ErrorEstimate:
    """An estimate that is an upper bound in practice.

    Attributes
    ----------
    relative : float
        Relative L2 error over the domain, time included; infinite where no digit is reliable.
    largest : float
        Largest error, relative to the largest value.
    amplification : float
        How much larger the solution's error can be than the residual: the norm of the map from residuals to
        errors. Huge where the problem has (almost) no unique solution.
    residual : float
        Norm of the held-out residual, in scaled rows.
    data : float
        Norm of the held-out data, in scaled rows.
    rounding : float
        The part of `relative` that is rounding.
    scale : float
        Root mean square of the solution; with several unknowns, of the one with the largest relative error.
    growth : float
        Norm of the coefficients over the size of the solution: large where the features do not suit it.
    residuals : mapping of str to BlockResidual
        Held-out residual of each block, in its own units.
    null_function : (n,) array
        The function with the smallest residual, at some points of the domain.
    null : (M,) array
        Coefficients of that function.
    unresolved : Narrow or None
        A narrow feature of the data or a coefficient that has much of the residual.
    beyond : str
        Solutions outside of the basis that dominate the error: a cause, and what would help.
    fields : tuple of FieldEstimate
        The estimate for each unknown.
    cells : CellErrors or None
        The errors of each cell, where some cells are not resolved.
    shares : mapping of str to float
        The share of each block in the squared norm of the held-out residual, in scaled rows.
    has_settled : bool
        False where the amplification would grow with more functions, so that the estimate is not reliable.
    """

    relative: float
    largest: float
    amplification: float
    residual: float
    data: float
    rounding: float
    scale: float
    growth: float
    residuals: Mapping[str, BlockResidual]
    null_function: NumberArray
    null: NumberArray
    unresolved: Narrow | None = None
    beyond: str = ""
    fields: tuple[FieldEstimate, ...] = ()
    cells: CellErrors | None = None
    shares: Mapping[str, float] = field(default_factory=dict)
    has_settled: bool = True

    def with_errors(self, problem: Problem, errors: Sequence[float]) -> ErrorEstimate:
        """The estimate with a further root mean square error of each unknown."""
        fields = tuple(field.with_error(error) for field, error in zip(self.fields, errors, strict=True))
        whole = [together([fields[place] for place in problem.places(name)]) for name in problem.names]
        worst = max(whole, key=lambda field: field.relative)
        largest = max(field.largest for field in whole)
        return replace(self, relative=worst.relative, largest=largest, scale=worst.scale, fields=fields)


def unknown_sizes(problem: Problem, scales: Sequence[float], data_sizes: Sequence[float]) -> list[tuple[float, float]]:
    """The size of each unknown, and its natural size where it is zero beside the others; otherwise zero.

    Both parts of a complex unknown have the size of the whole. An unknown with data of its own, however small, is not
    zero: where the equations hardly couple it to the others, it has no natural size.
    """
    if len(scales) == 1:
        return [(scales[0], 0.0)]
    natural = natural_scales(problem, 2 * np.pi / np.ptp(problem.domain.bounding_box, axis=0))
    natural = natural * float(np.max(np.asarray(scales) / natural))
    sizes = [(scale, 0.0) for scale in scales]
    for name in problem.names:
        parts = list(problem.places(name))
        own, usual = math.hypot(*(scales[part] for part in parts)), float(natural[parts].max())
        is_zero = own < CLOSE * usual and max(data_sizes[part] for part in parts) <= ROUNDING * usual
        for part in parts:
            sizes[part] = own, usual if is_zero else 0.0
    return sizes


def relative_to(error: float, scale: float, certain: float = NO_DIGITS) -> float:
    """`error` relative to the true solution, whose size is at least ``scale - error``; infinite if that is small."""
    if error == 0.0:
        return 0.0
    return error / (scale - error) if error < certain * scale else float("inf")


def unknown_norm(Phi: NumberArray, coefficients: NumberArray, has_equal_sizes: bool) -> float:
    """The norm of the coefficients of one unknown, weighted by the sizes of its features unless these are equal."""
    if has_equal_sizes:
        return safe_norm(coefficients)
    return safe_norm(coefficients * np.sqrt(2 * (abs(Phi) ** 2).mean(axis=0)))


def estimate_without_data(
    relative: float,
    scale: float,
    coefficients: NumberArray,
    residuals: Mapping[str, BlockResidual],
    *,
    residual: float,
    amplification: float = 1.0,
    unknowns: int = 1,
) -> ErrorEstimate:
    """The estimate for a solution without data, such as a mode, whose relative error is known.

    The root mean square of the solution is `scale`; the norm `residual` of all `residuals` is in units of it. All
    `unknowns` have the same estimate.
    """
    relative = relative if relative < NO_DIGITS else math.inf
    growth = safe_norm(coefficients) / scale
    return ErrorEstimate(
        relative=relative,
        largest=relative,
        amplification=amplification,
        residual=residual,
        data=0.0,
        rounding=0.0,
        scale=scale,
        growth=growth,
        residuals=residuals,
        null_function=np.zeros(0),
        null=np.zeros(len(coefficients)),
        fields=(FieldEstimate(relative, relative, 0.0, scale, growth, scale),) * unknowns,
    )


# ---- The verdict


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
    """Judge an estimate by `tol`.

    `ending` says why the solver stopped, `failure` what failed, `more_helps` whether a larger solve would help.
    """
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
    finding, suggestion = f"the error estimate {error:.1e} misses", ""
    if not np.isfinite(error):
        finding = "no digits are reliable; this misses"
        if estimate.data > 0:
            share = estimate.residual / estimate.data
            suggestion = f" (the residual alone, {share:.0e} of the data, suggests an error of about that size)"
    return Verdict(False, f"{finding} the tolerance {tol:.0e}: {cause}{suggestion}")


def _without_digits(problem: Problem, estimate: ErrorEstimate) -> str:
    """Name the unknowns that are too small beside the others to have digits of their own."""
    notes = []
    for name in problem.names if estimate.fields else ():
        parts = [estimate.fields[place] for place in problem.places(name)]
        own, size = math.hypot(*(part.scale for part in parts)), max(part.size for part in parts)
        if 0 < own < NO_DIGITS * size:
            notes.append(
                f"; {name}, about {own:.0e}, has no digit of its own: its error is relative to {size:.0e}, its natural "
                "size beside the other unknowns"
            )
    return "".join(notes)


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
        if estimate.residual > CLOSE * estimate.data:
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
