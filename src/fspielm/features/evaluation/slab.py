"""Operators on sums of features at a slab of points: by transforms, on tiles or directly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.features.basis import Basis
from fspielm.features.evaluation.cost import MOST_DIMENSIONS, transform_pays
from fspielm.features.evaluation.direct import direct_sum
from fspielm.features.evaluation.nufft import sum_waves
from fspielm.features.evaluation.parts import Part, join_smooth, split_leaves
from fspielm.features.evaluation.rows import Row, add_rows, split_rows
from fspielm.features.evaluation.sums import Method
from fspielm.features.evaluation.tiles import Cloud, Sums, sum_on_tiles
from fspielm.features.evaluation.waves import Waves, split_waves
from fspielm.features.local import LocalOperator
from fspielm.features.tabulated import with_tables


def on_slab(
    basis: Basis,
    fields: FloatArray,
    operators: Sequence[LocalOperator],
    points: FloatArray,
    threads: int,
    method: Method,
) -> NumberArray:
    """Values ``(T, F, n)`` of T operators on F fields."""
    if basis.on_cells:
        leaves = zip(basis.on_cells, (part for _, part in split_leaves(basis, fields)), strict=True)
        return np.asarray(np.sum([leaf.sums(part, operators) for leaf, part in leaves], axis=0))
    waves, others = split_waves(basis, fields)
    by_transform = method in ("auto", "nufft") and waves and _transform_suits(waves, operators, points, method)
    cloud = Cloud(points)
    by_tiles = method != "direct" and cloud.suits_tiles
    # what fast ways know are real coefficients
    if not (by_transform or by_tiles) or not all(local.is_real for local in operators):
        return np.stack([direct_sum(basis, fields, local, threads=threads) for local in operators])
    rows = [split_rows(local) for local in operators]
    values = np.zeros((len(operators), len(fields), len(points)))
    if by_transform:
        for group in waves:
            _add_transform(group, rows, points, values, threads)
    else:
        others = split_leaves(basis, fields)
    if by_tiles:
        _add_on_tiles(join_smooth(others), rows, cloud, values, threads)
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


def _add_transform(waves: Waves, rows: list[list[Row]], points: FloatArray, values: FloatArray, threads: int) -> None:
    """Add the operators on the waves to `values`, all by one set of transforms: they share most of the work."""
    strengths = [waves.strengths(row.orders, row.coefficients) for operator in rows for row in operator]
    add_rows(rows, sum_waves(waves.W, np.concatenate(strengths), waves.origin, points, threads=threads), values)


def _add_on_tiles(parts: Sequence[Part], rows: list[list[Row]], cloud: Cloud, values: FloatArray, threads: int) -> None:
    """Add the operators on parts of the sum to `values`, all from one set of tiles."""
    operators = [(row.orders, row.coefficients) for operator in rows for row in operator]
    sums = [Sums(with_tables(basis, *cloud.ends), fields, operators, threads) for basis, fields in parts]
    if sums:
        add_rows(rows, sum_on_tiles(sums, cloud), values)
