"""How wrong a solution may be, from the equation and its data alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fspielm.arrays import FloatArray, safe_norm, safe_rms
from fspielm.collocation import BlockResidual, Points, System, make_blocks
from fspielm.equations import Problem, identity, leaves_constant_open
from fspielm.features import Basis
from fspielm.features.evaluation import tabulate
from fspielm.geometry import Sites
from fspielm.linalg import Factorisation, Triangular
from fspielm.solution.held_out import HeldOut

PROBES = 600
# An error of this share of the solution leaves no digit of it certain, nor the share itself.
_NO_DIGITS = 0.5
_POWER_STEPS = 10
# Rounding of a sum of cosines, in units of the coefficients' norm.
_ROUNDING = 2e-15
# Rows and functions.
_FEW = 16
# A well-posed problem amplifies its scaled residual by at most some thousands; only a missing condition, or a
# resonance, by more than this.
ILL_POSED = 1e7


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
        Root mean square of the solution.
    residuals : mapping of str to BlockResidual
        Held-out residual of each block, in its own units.
    null_function : (n,) array
        The function that the residual sees least, at some points of the domain.
    sensitivity : Sensitivity
        What `amplification` came from; serves again for other data of the same problem.
    """

    relative: float
    largest: float
    amplification: float
    residual: float
    data: float
    rounding: float
    scale: float
    residuals: Mapping[str, BlockResidual]
    null_function: FloatArray
    sensitivity: Sensitivity


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How strongly a system's residual shows in its solution; does not depend on the data.

    Attributes
    ----------
    amplification : float
    values : (n, M) array
        The features at the points where the solution is looked at.
    null : (M,) array
        Coefficients of the function that is amplified most.
    """

    amplification: float
    values: FloatArray
    null: FloatArray


def estimate_error(
    problem: Problem,
    basis: Basis,
    coefficients: FloatArray,
    factorisation: Factorisation,
    system: System,
    points: Points,
    rng: np.random.Generator,
    *,
    threads: int,
    sensitivity: Sensitivity | None = None,
    held_out: HeldOut | None = None,
) -> ErrorEstimate:
    """Estimate the error of ``coefficients`` from rows that were not fitted.

    If the true solution is the basis with coefficients ``beta + delta``, then ``H delta`` is the residual r, and the
    error ``Phi delta = (Phi R^-1) (Q^T r)`` is at most ``|Phi R^-1| |r|``. The norm is found by power iteration with
    triangular solves, the residual is measured at fresh points, and the rounding of the sum is added.

    Parameters
    ----------
    problem, basis, coefficients
    factorisation : Factorisation
        Of the system that was solved.
    system : System
        Its blocks, sizes and scales.
    points : Points
        How it was collocated; the fresh points follow the same law.
    rng : Generator
    threads : int
    sensitivity : Sensitivity, optional
        From an earlier estimate with the same system.
    held_out : HeldOut, optional
        The rows to check with, where they are known already.
    """
    if held_out is None:
        held_out = HeldOut(points.thinned().draw(problem, rng))
    residual, data, peak, residuals = _check(problem, basis, coefficients, system, held_out, threads)
    if sensitivity is None:
        sensitivity = find_sensitivity(problem, basis, factorisation, rng, threads)
    amplification, null = sensitivity.amplification, sensitivity.values @ sensitivity.null
    if leaves_constant_open(problem):  # whether the basis holds a constant or not
        amplification, null = float("inf"), np.ones(len(null))
    values = sensitivity.values @ coefficients
    scale = safe_rms(values)
    rounding = _ROUNDING * safe_norm(coefficients)
    # where nothing determines the solution, zero is only one of many, and a residual of zero says nothing; where
    # a condition is missing, the others may have frequencies that the basis does not
    blind = residual == 0.0 and amplification > ILL_POSED
    undetermined = bool(problem.missing) or blind or not np.isfinite(amplification)
    error = float("inf") if undetermined else amplification * residual
    return ErrorEstimate(
        relative=_ratio(error + rounding, scale),
        largest=_ratio(peak * error + rounding, float(np.abs(values).max(initial=0.0))),
        amplification=amplification,
        residual=residual,
        data=data,
        rounding=_ratio(rounding, scale),
        scale=scale,
        residuals=residuals,
        null_function=null,
        sensitivity=sensitivity,
    )


def _check(
    problem: Problem,
    basis: Basis,
    coefficients: FloatArray,
    system: System,
    held_out: HeldOut,
    threads: int,
) -> tuple[float, float, float, dict[str, BlockResidual]]:
    """Norms of residual and data at fresh points, weighted as the fitted rows are; peak over mean; by block."""
    total, data, peak = 0.0, 0.0, 1.0
    residuals = {}
    blocks = make_blocks(problem, held_out.sites)
    for block, (name, rows), scale in zip(blocks, system.rows.items(), system.scales, strict=True):
        deviation = np.abs(held_out.apply(block, basis, coefficients, threads) - block.values)
        rms = safe_rms(deviation)
        residuals[name] = BlockResidual(rms, float(deviation.max()))
        if max(len(block), basis.size) < _FEW:  # which may be met by luck, better than rounding allows
            rms = math.hypot(rms, _ROUNDING * safe_norm(coefficients) / scale)
        weight = scale * float(np.sqrt(rows.stop - rows.start))
        total = math.hypot(total, weight * rms)
        data = math.hypot(data, weight * safe_rms(block.values))
        if rms > 0:
            peak = max(peak, float(deviation.max()) / rms)
    return total, data, peak, residuals


def find_sensitivity(
    problem: Problem, basis: Basis, factorisation: Triangular, rng: np.random.Generator, threads: int
) -> Sensitivity:
    """``|Phi R^-1| / sqrt(n)`` by power iteration, with Phi the features at n points of the domain."""
    probes = Sites(problem.domain.sample(PROBES, rng, "low-discrepancy"))
    Phi = tabulate(basis, identity(problem.dimension), probes, threads=threads)
    rows, columns = factorisation.shape
    if rows < columns or not np.all(factorisation.diagonal > 0):  # the rows do not determine the coefficients
        return Sensitivity(float("inf"), Phi, np.zeros(columns))
    direction: FloatArray = rng.standard_normal(columns)
    norm = 0.0
    for _ in range(_POWER_STEPS):
        image = Phi @ factorisation.solve_triangle(_unit(direction))
        direction = factorisation.solve_triangle(Phi.T @ image, transposed=True)
        size = float(np.linalg.norm(direction))
        if not np.isfinite(size) or size == 0.0:
            return Sensitivity(float("inf") if size else 0.0, Phi, np.zeros(columns))
        norm = float(np.sqrt(size))
    null = factorisation.solve_triangle(_unit(direction))
    return Sensitivity(norm / float(np.sqrt(len(Phi))), Phi, null)


def _unit(vector: FloatArray) -> FloatArray:
    return np.asarray(vector / np.linalg.norm(vector))


def _ratio(error: float, scale: float) -> float:
    """`error` relative to the true solution, whose size is at least ``scale - error``; infinite if that is little."""
    if error == 0.0:
        return 0.0
    return error / (scale - error) if error < _NO_DIGITS * scale else float("inf")
