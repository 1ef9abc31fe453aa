"""Operators on sums of features, at any number of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.equations import Operator
from fspielm.features import Basis, LocalOperator, localise
from fspielm.geometry import Sites
from fspielm.solution.evaluation.cost import MOST_DIMENSIONS, transform_pays
from fspielm.solution.evaluation.direct import direct_sum
from fspielm.solution.evaluation.nufft import sum_waves
from fspielm.solution.evaluation.waves import Waves, split_waves, wave_rows

Method = Literal["auto", "direct", "nufft"]

# Points at a time: what is held besides the result does not grow beyond what these need.
SLAB = 2**19


def evaluate(
    basis: Basis,
    coefficients: NDArray[Any],
    operator: Operator,
    sites: Sites,
    *,
    threads: int,
    method: Method = "auto",
) -> NDArray[Any]:
    """``operator`` on the sum of ``coefficients * basis``, at `sites`, shape ``(n,)``; see `evaluate_each`."""
    return np.asarray(evaluate_each(basis, coefficients, [operator], sites, threads=threads, method=method)[0])


def evaluate_each(
    basis: Basis,
    coefficients: NDArray[Any],
    operators: Sequence[Operator],
    sites: Sites,
    *,
    threads: int,
    method: Method = "auto",
) -> NDArray[Any]:
    """Each of the operators on the sum of ``coefficients * basis``, at `sites`.

    The sinusoids of the basis are summed by a fast transform where a model of the cost says that it pays, other
    functions and few points directly. The two agree to 1e-13 times the norm of the coefficients (each times the
    operator's symbol), and where ``K L``, the highest frequency times the extent of the points, is above 100,
    times ``K L / 100``. The bits do not depend on the number of threads.

    Parameters
    ----------
    basis : Basis
    coefficients : (..., M) array
        Real or complex.
    operators : sequence of Operator
    sites : Sites
    threads : int
    method : {"auto", "direct", "nufft"}
        The latter where there are sinusoids in one to three dimensions at all.

    Returns
    -------
    (T, ..., n) array
        One entry for each of the T operators; real or complex as the coefficients are.
    """
    fields = _real_fields(coefficients)
    values = np.empty((len(operators), len(fields), len(sites)))
    for start in range(0, max(len(sites), 1), SLAB):
        here = sites.select(slice(start, start + SLAB))
        local = [localise(operator, here) for operator in operators]
        values[:, :, start : start + SLAB] = _on_slab(basis, fields, local, here.points, threads, method)
    return _as_given(values, coefficients)


def _on_slab(
    basis: Basis,
    fields: FloatArray,
    operators: Sequence[LocalOperator],
    points: FloatArray,
    threads: int,
    method: Method,
) -> FloatArray:
    """Values ``(T, F, n)`` of T operators on F fields."""
    waves, others = split_waves(basis, fields)
    if method == "direct" or not waves or not _transform_suits(waves, operators, points, method):
        return np.stack([direct_sum(basis, fields, local, threads=threads) for local in operators])
    values = np.zeros((len(operators), len(fields), len(points)))
    for group in waves:
        _add_transform(group, operators, points, values, threads)
    for other, part in others:
        for total, local in zip(values, operators, strict=True):
            total += direct_sum(other, part, local, threads=threads)
    return values


def _transform_suits(
    waves: Sequence[Waves], operators: Sequence[LocalOperator], points: FloatArray, method: Method
) -> bool:
    if len(points) == 0 or points.shape[1] > MOST_DIMENSIONS:
        return False
    if method == "nufft":
        return True
    fields = len(waves[0].fields)
    transforms = fields * sum(1 if local.is_constant else len(local.orders) for local in operators)
    return transform_pays([group.W for group in waves], points, transforms, len(operators))


def _add_transform(
    waves: Waves, operators: Sequence[LocalOperator], points: FloatArray, values: FloatArray, threads: int
) -> None:
    """Add the operators on the waves to `values`, all by one set of transforms: they share most of the work."""
    rows = [wave_rows(waves, local) for local in operators]
    strengths = np.concatenate([strength for operator_rows in rows for strength, _ in operator_rows])
    sums = sum_waves(waves.W, strengths, waves.origin, points, threads=threads)
    each = iter(sums.reshape(-1, *values.shape[1:]))
    for total, operator_rows in zip(values, rows, strict=True):
        for _, coefficient in operator_rows:
            row = next(each)
            total += row if coefficient is None else row * coefficient


def _real_fields(coefficients: NDArray[Any]) -> FloatArray:
    """Coefficients ``(..., M)`` as real ones ``(F, M)``; of complex ones, all real parts before all imaginary ones."""
    flat = coefficients.reshape(-1, coefficients.shape[-1])
    return np.concatenate([flat.real, flat.imag]) if np.iscomplexobj(flat) else flat


def _as_given(values: FloatArray, coefficients: NDArray[Any]) -> NDArray[Any]:
    """Values ``(T, F, n)`` of real fields, in the form of the coefficients: ``(T, ..., n)``."""
    shape = (len(values), *coefficients.shape[:-1], values.shape[-1])
    if not np.iscomplexobj(coefficients):
        return values.reshape(shape)
    real, imaginary = np.split(values, 2, axis=1)
    return np.asarray(real + 1j * imaginary).reshape(shape)
