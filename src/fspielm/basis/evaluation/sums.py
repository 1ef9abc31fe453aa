"""Apply operators to sums of functions, at any number of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.basis.basis import Basis, LocalOperator, localise
from fspielm.basis.evaluation.direct import (
    MOST_DIMENSIONS,
    Waves,
    add_rows,
    direct_sum,
    join_smooth,
    split_leaves,
    split_rows,
    split_waves,
    sum_waves,
    transform_pays,
)
from fspielm.basis.evaluation.tiles import Cloud, Sums, sum_on_tiles
from fspielm.basis.singular.tabulated import with_tables
from fspielm.geometry.boundary import Sites
from fspielm.problem.operator import Operator

Method = Literal["auto", "direct", "nufft", "tiles"]

# Points at a time, which bounds the memory besides the result.
SLAB = 2**20


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

    Sinusoids are summed by a fast transform if the cost model predicts a gain, other functions by expansions on tiles,
    and few points directly. Transforms agree with the direct sum to 1e-13 times the norm of the coefficients (each
    times the operator's symbol), and times ``K L / 100`` if ``K L``, the highest frequency times the extent of the
    points, is above 100. Expansions agree with it to a few times its rounding. The bits do not depend on the number of
    threads.

    Parameters
    ----------
    basis : Basis
    coefficients : (..., M) array
        Real or complex.
    operators : sequence of Operator
    sites : Sites
    threads : int
    method : {"auto", "direct", "nufft", "tiles"}
        "nufft" for all sinusoids in one to three dimensions; "tiles" for all functions.

    Returns
    -------
    (T, ..., n) array
        One entry for each of the T operators; complex if coefficients or functions are.
    """
    if basis.components > 1 or basis.dtype.kind == "c":  # each unknown as a sum of its own real functions
        total: NDArray[Any] = np.zeros((len(operators), *coefficients.shape[:-1], len(sites)))
        for unknown in sorted(set().union(*(operator.unknowns for operator in operators))):
            parts = {place: own for place, each in enumerate(operators) if (own := each.part(unknown)).terms}
            real, its_coefficients = basis.field(unknown, coefficients)
            if real.size:
                its_parts = list(parts.values())
                values = evaluate_each(real, its_coefficients, its_parts, sites, threads=threads, method=method)
                total = total.astype(np.result_type(total, values), copy=False)
                total[list(parts)] += values
        return total
    if not basis.size:  # an unknown that is zero
        return np.zeros((len(operators), *coefficients.shape[:-1], len(sites)), dtype=coefficients.dtype)
    flat = coefficients.reshape(-1, coefficients.shape[-1])
    fields = np.concatenate([flat.real, flat.imag]) if np.iscomplexobj(flat) else flat
    values = np.empty((len(operators), len(fields), len(sites)))
    for start in range(0, max(len(sites), 1), SLAB):
        here = sites.select(slice(start, start + SLAB))
        local = [localise(operator, here, basis.components) for operator in operators]
        found = _evaluate_slab(basis, fields, local, here.points, threads, method)
        values = values.astype(np.result_type(values, found), copy=False)
        values[:, :, start : start + SLAB] = found
    if np.iscomplexobj(flat):
        values = values[:, : len(flat)] + 1j * values[:, len(flat) :]
    return values.reshape(len(operators), *coefficients.shape[:-1], len(sites))


def _evaluate_slab(
    basis: Basis,
    fields: FloatArray,
    operators: Sequence[LocalOperator],
    points: FloatArray,
    threads: int,
    method: Method,
) -> NumberArray:
    """Values ``(T, F, n)`` of T operators on F fields: by transforms, on tiles or directly."""
    if basis.on_cells:
        leaves = zip(basis.on_cells, (part for _, part in split_leaves(basis, fields)), strict=True)
        return np.asarray(np.sum([leaf.sums(part, operators) for leaf, part in leaves], axis=0))
    waves, others = split_waves(basis, fields)
    by_transform = method in ("auto", "nufft") and waves and _transform_suits(waves, operators, points, method)
    cloud = Cloud(points)
    by_tiles = method != "direct" and cloud.suits_tiles
    # the fast methods need real coefficients
    if not (by_transform or by_tiles) or not all(local.is_real for local in operators):
        return np.stack([direct_sum(basis, fields, local, threads=threads) for local in operators])
    rows = [split_rows(local) for local in operators]
    values = np.zeros((len(operators), len(fields), len(points)))
    if by_transform:
        for group in waves:
            # all in one set of transforms, which share most of the work
            strengths = np.concatenate([group.strengths(row.orders, row.coefficients) for each in rows for row in each])
            add_rows(rows, sum_waves(group.W, strengths, group.origin, points, threads=threads), values)
    else:
        others = split_leaves(basis, fields)
    if by_tiles:
        flat = [(row.orders, row.coefficients) for each in rows for row in each]
        parts = [(with_tables(basis, *cloud.ends), own) for basis, own in join_smooth(others)]
        if parts:  # all from one set of tiles
            add_rows(rows, sum_on_tiles([Sums(*part, flat, threads) for part in parts], cloud), values)
    else:
        for other, its_fields in others:
            for total, local in zip(values, operators, strict=True):
                total += direct_sum(other, its_fields, local, threads=threads)
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
