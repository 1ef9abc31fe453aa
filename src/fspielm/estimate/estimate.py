"""How wrong a solution may be, and how large unknowns are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from dataclasses import fields as dataclass_fields
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray, safe_norm
from fspielm.collocation.system import BlockResidual
from fspielm.estimate.charts import Narrow
from fspielm.problem.derived import natural_scales
from fspielm.problem.problem import Problem

# ---- How wrong a solution may be, from the equation and its data alone


# A well-posed problem amplifies its scaled residual by at most some thousands; only a missing condition, or a
# resonance, by more than this.
ILL_POSED = 1e7
# An error of this share of the solution leaves no digit of it certain, nor the share itself.
NO_DIGITS = 0.5


@final
@dataclass(frozen=True)
class FieldEstimate:
    """How wrong one unknown may be.

    Attributes
    ----------
    relative, largest, rounding, scale, growth : float
        As in `ErrorEstimate`. An unknown that is zero beside what is natural for it is measured by that; a part of a
        complex one by the size of both.
    size : float
        What it is measured by.
    """

    relative: float
    largest: float
    rounding: float
    scale: float
    growth: float
    size: float = 0.0

    def with_error(self, error: float) -> FieldEstimate:
        """The same with a root mean square error more."""
        if error == 0.0 or not math.isfinite(self.relative):
            return self
        known = self.relative * self.size / (1 + self.relative) + error
        relative = known / (self.size - known) if known < NO_DIGITS * self.size else math.inf
        more = relative / self.relative if self.relative > 0 else math.inf
        return replace(self, relative=relative, largest=self.largest * more if self.largest > 0 else relative)


@final
@dataclass(frozen=True, eq=False)
class CellErrors:
    """How wrong a solution may be because of each of C cells.

    Attributes
    ----------
    relative : (C,) array
        Of the relative error, what comes from the cell at most; squares add up.
    amplification : (C,) array
        How much larger that is than the deviation in the cell, in scaled rows.
    """

    relative: FloatArray
    amplification: FloatArray


def together(fields: Sequence[FieldEstimate]) -> FieldEstimate:
    """What is said of a complex unknown, from its real and its imaginary part, both measured by the size of it."""
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
        Of the relative L2 error over the domain, time included; infinite where no digit is certain.
    largest : float
        Of the largest error, relative to the largest value.
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
        Root mean square of the solution; of several unknowns, of the one with the largest relative error.
    growth : float
        Norm of the coefficients over the size of the solution: large where the features do not suit it.
    residuals : mapping of str to BlockResidual
        Held-out residual of each block, in its own units.
    null_function : (n,) array
        The function that the residual sees least, at some points of the domain.
    null : (M,) array
        Coefficients of that function.
    unresolved : Narrow or None
        Something narrow in the data or a coefficient, where much of the residual is.
    beyond : str
        What may hide beyond the basis, where that counts: a cause, and what would help.
    fields : tuple of FieldEstimate
        What is said of each unknown.
    cells : CellErrors or None
        What is said of each cell, where functions are those of cells that are not all resolved.
    shares : mapping of str to float
        Of the squared norm of the held-out residual, in scaled rows, what each block has.
    has_settled : bool
        False where the amplification would grow with more functions, so that nothing rests on it.
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


# ---- How large unknowns are: what errors in them are measured by


# An unknown so much smaller than is natural beside the others is zero but for rounding.
_NOTHING = 1e-6
# Unless it has data of its own, larger than their rounding.
_TOLD = 1e-13


def sizes_of(problem: Problem, scales: Sequence[float], told: Sequence[float]) -> list[tuple[float, float]]:
    """The size of each unknown, and, where it is nothing beside the others, the one that is natural for it; else zero.

    The real and the imaginary part of a complex unknown have the size of both. What has data of its own, however small,
    is not nothing: where equations hardly tie it to the others, there is no size that is natural for it.
    """
    if len(scales) == 1:
        return [(scales[0], 0.0)]
    lower, upper = problem.domain.bounding_box
    natural = natural_scales(problem, 2 * np.pi / (upper - lower))
    natural = natural * float(np.max(np.asarray(scales) / natural))
    sizes = [(scale, 0.0) for scale in scales]
    for name in problem.names:
        parts = list(problem.places(name))
        own, usual = math.hypot(*(scales[part] for part in parts)), float(natural[parts].max())
        nothing = own < _NOTHING * usual and max(told[part] for part in parts) <= _TOLD * usual
        for part in parts:
            sizes[part] = own, usual if nothing else 0.0
    return sizes


def relative_to(error: float, scale: float, certain: float = NO_DIGITS) -> float:
    """`error` relative to the true solution, whose size is at least ``scale - error``; infinite if that is little."""
    if error == 0.0:
        return 0.0
    return error / (scale - error) if error < certain * scale else float("inf")


def norm_in(Phi: NumberArray, coefficients: NumberArray, alike: bool) -> float:
    """The norm of the coefficients as far as one unknown has them, in units of features of size one, if not `alike`."""
    if alike:
        return safe_norm(coefficients)
    return safe_norm(coefficients * np.sqrt(2 * (abs(Phi) ** 2).mean(axis=0)))


# ---- What is said of a solution without data, such as a mode, whose error is known from elsewhere


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
    """An estimate of this relative error, or of no digit, of a solution of this size.

    Parameters
    ----------
    relative : float
    scale : float
        Root mean square of the solution.
    coefficients : (M,) array
    residuals : mapping of str to BlockResidual
        What it leaves, by relation.
    residual : float
        Their norm, in units of the solution.
    amplification : float
    unknowns : int
        For how many it is the same.
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
