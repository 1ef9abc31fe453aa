"""Evaluate sums of functions directly, or by non-uniform fast Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray, NumberArray, safe_norm
from fspielm.basis.basis import Basis, JoinedBasis, LocalOperator, RidgeBasis, Sinusoid, localise
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import Domain
from fspielm.numerics.tolerances import ROUNDING
from fspielm.problem.operator import Operator
from fspielm.resources import memory_left, physical_memory, run_tasks

# ---- Parts of a sum

# A basis with its coefficients ``(F, M)``.
Part: TypeAlias = tuple[Basis, FloatArray]


def split_leaves(basis: Basis, fields: FloatArray) -> list[Part]:
    """The leaves of `basis`, each with its coefficients out of `fields` ``(F, M)``."""
    ends = np.cumsum([leaf.size for leaf in basis.leaves])
    return [(leaf, fields[:, end - leaf.size : end]) for leaf, end in zip(basis.leaves, ends, strict=True)]


def join_smooth(parts: Sequence[Part]) -> list[Part]:
    """All smooth functions as one part, and each singular basis as another.

    The tiles of each part then crowd only at its own singularities.
    """
    smooth = [part for part in parts if part[0].is_smooth]
    others = [part for part in parts if not part[0].is_smooth]
    if not smooth:
        return others
    joined = JoinedBasis([basis for basis, _ in smooth]), np.concatenate([fields for _, fields in smooth], axis=1)
    return [joined, *others]


# ---- Operators as sums of operators with constant coefficients, which is all that the fast methods handle


@final
@dataclass(frozen=True, eq=False)
class Row:
    """A part of an operator: an operator with constant coefficients, times a function."""

    orders: NDArray[np.int_]  # (T, d): derivative orders of each of the T terms
    coefficients: FloatArray  # (T,)
    factor: FloatArray | None = None  # (n,): the function at the points; None stands for one


def split_rows(local: LocalOperator) -> list[Row]:
    """One row without a factor for all terms with constant coefficients, and one row for each other derivative."""
    if local.is_constant:
        return [Row(local.orders, local.coefficients)]
    same = np.ptp(local.coefficients, axis=1) == 0 if len(local.points) else np.ones(len(local.orders), dtype=bool)
    rows: list[Row] = []
    if same.any():
        rows.append(Row(local.orders[same], local.coefficients[same, 0]))
    varying = local.orders[~same]
    for orders in np.unique(varying, axis=0):
        terms = np.all(varying == orders, axis=1)
        rows.append(Row(orders[None, :], np.ones(1), local.coefficients[~same][terms].sum(axis=0)))
    return rows


def add_rows(rows: list[list[Row]], sums: FloatArray, values: FloatArray) -> None:
    """Add the sums of all rows, times the rows' factors, to `values` ``(T, F, n)`` of T operators."""
    remaining = iter(sums.reshape(-1, *values.shape[1:]))
    for total, operator_rows in zip(values, rows, strict=True):
        for row in operator_rows:
            row_sums = next(remaining)
            total += row_sums if row.factor is None else row_sums * row.factor


# ---- Sinusoids


@final
@dataclass(frozen=True, eq=False)
class Waves:
    """Sums ``sum_j fields[f, j] cos(W_j (x - origin) + phase_j)``, one for each field f.

    Attributes
    ----------
    W : (M, d) array
    phase : (M,) array
    origin : (d,) array
    fields : (F, M) array
        Coefficients.
    """

    W: FloatArray
    phase: FloatArray
    origin: FloatArray
    fields: FloatArray

    def strengths(self, orders: NDArray[np.int_], coefficients: FloatArray) -> ComplexArray:
        """Factors ``(F, M)`` of ``exp(i W (x - origin))``; the real part of their sum is the operator on the waves.

        Each factor is the symbol ``sum_t coefficients[t] (i W)^orders[t]`` times the wave's own amplitude and phase.
        """
        symbol = np.prod((1j * self.W[:, None, :]) ** orders, axis=2) @ coefficients
        return np.asarray(self.fields * (symbol * np.exp(1j * self.phase)))


def split_waves(basis: Basis, fields: FloatArray) -> tuple[list[Waves], list[Part]]:
    """The sinusoids of `basis`, joined if they share an origin, and the other bases with their coefficients."""
    groups: dict[tuple[float, ...], list[tuple[RidgeBasis, FloatArray, float]]] = {}
    others: list[Part] = []
    for leaf, part in split_leaves(basis, fields):
        if not leaf.size:  # an unknown that is zero
            continue
        if isinstance(leaf, RidgeBasis) and isinstance(leaf.activation, Sinusoid):
            groups.setdefault(tuple(leaf.origin), []).append((leaf, part, leaf.activation.phase))
        else:
            others.append((leaf, part))
    waves = [
        Waves(
            np.concatenate([leaf.W for leaf, _, _ in group]),
            np.concatenate([leaf.b + phase for leaf, _, phase in group]),
            np.array(origin),
            np.concatenate([part for _, part, _ in group], axis=1),
        )
        for origin, group in groups.items()
    ]
    return waves, others


def transform_rounding(basis: Basis, coefficients: FloatArray, domain: Domain) -> float:
    """Bound on the difference between values by a transform and by the direct sum; see `evaluate_each`."""
    waves, _ = split_waves(basis, np.atleast_2d(np.abs(coefficients)))
    if not waves:
        return 0.0
    lower, upper = domain.bounding_box
    phase = max(float(np.abs(group.W).max(axis=0) @ (upper - lower)) for group in waves)
    norm = max(safe_norm(group.fields) for group in waves)
    # measured errors of transforms are 3e-14 to 6e-14 in units of the norm of the coefficients
    return ROUNDING * max(1.0, phase / 100) * norm


# ---- The direct sum, in bounded memory, on threads

# Points at a time, so that what is worked on stays in the cache.
CHUNK_POINTS = 1024
_CHUNK_COLUMNS = 64


def direct_sum(basis: Basis, fields: FloatArray, local: LocalOperator, *, threads: int) -> NumberArray:
    """``local`` on the sums of ``fields[f] * basis``, shape ``(F, n)``, for coefficients `fields` ``(F, M)``."""
    values = np.empty((len(fields), len(local.points)), dtype=basis.dtype_under(local))
    run_tasks(
        [
            partial(_sum_chunk, basis, fields, local, slice(start, start + CHUNK_POINTS), values)
            for start in range(0, len(local.points), CHUNK_POINTS)
        ],
        threads,
    )
    return values


def tabulate(basis: Basis, operator: Operator, sites: Sites, *, threads: int) -> NumberArray:
    """``operator`` on every function of the basis at `sites`, shape ``(n, M)``; sparse for a basis on cells."""
    local = localise(operator, sites, basis.components)
    for cells in basis.on_cells:
        if cells is basis:
            return cells.sparse(local)  # type: ignore[no-any-return]
    transposed = np.empty((basis.size, len(sites)), dtype=basis.dtype_under(local))
    run_tasks([partial(basis.write, local, columns, transposed[columns]) for columns in _chunks(basis)], threads)
    return transposed.T


def _sum_chunk(basis: Basis, fields: FloatArray, local: LocalOperator, index: slice, values: NumberArray) -> None:
    here = local.select(index)
    total = np.zeros((len(fields), len(here.points)), dtype=values.dtype)
    for columns in _chunks(basis):
        buffer = np.empty((columns.stop - columns.start, len(here.points)), dtype=values.dtype)
        with np.errstate(all="ignore"):  # functions may be infinite outside of the domain
            basis.write(here, columns, buffer)
            total += fields[:, columns] @ buffer
    values[:, index] = total


def _chunks(basis: Basis) -> list[slice]:
    """Slices of a few functions, but of no fewer than share work."""
    step = max(_CHUNK_COLUMNS, basis.together)
    return [slice(first, min(first + step, basis.size)) for first in range(0, basis.size, step)]


# ---- The cost of sums of sinusoids, directly and by fast transforms

# finufft's transforms exist in one, two and three dimensions.
MOST_DIMENSIONS = 3


@final
@dataclass(frozen=True)
class CostModel:
    """Seconds on one thread, fitted by ``benchmarks/evaluation.py --calibrate``.

    Only their ratios matter, which depend little on the machine, and only when both methods take about the same time.
    """

    cosine: float = 2.5e-8  # for one cosine of the direct sum
    start: float = 2e-4  # for one chunk of points, whatever its size
    kernel: float = 2.2e-10  # for one entry of the kernel at a frequency or at a point
    grid: float = 2.3e-8  # for one point of the grid in the fast Fourier transform
    point: float = 5e-7  # for each point and axis

    def per_chunk(self, neurons: int, transforms: int, reach: FloatArray) -> float:
        """For the frequencies and the grid of one chunk of points."""
        kernel = self.kernel * _WIDTH ** len(reach)
        return float(self.start + transforms * (neurons * kernel + self.grid * _grid(reach)))

    def per_point(self, transforms: int, dimension: int) -> float:
        """For each point."""
        return float(dimension * self.point + transforms * self.kernel * _WIDTH**dimension)


_COSTS = CostModel()
# Points of the kernel along an axis at full accuracy, and the matching sampling rate.
_WIDTH = 16
UPSAMPLING = 2.0
# Chunks are so large that the work repeated for each takes at most about this share of its time.
_REPEATED_SHARE = 0.2
_LEAST_CHUNK, _MOST_CHUNK = 2**13, 2**18
# A larger grid is cut into tiles, each with the points that lie on it.
_MOST_GRID_BYTES = 160e6


def transform_pays(frequencies: Sequence[FloatArray], points: FloatArray, transforms: int, sums: int) -> bool:
    """Whether fast transforms are faster than direct sums.

    Parameters
    ----------
    frequencies : sequence of (M, d) arrays
        Each set is transformed separately.
    points : (n, d) array
    transforms : int
        Number of transforms of each set.
    sums : int
        Number of direct sums that would replace them.
    """
    extent = np.ptp(points, axis=0)
    direct_seconds = sum(sums * _COSTS.cosine * len(points) * len(W) for W in frequencies)
    seconds = 0.0
    for W in frequencies:
        tiles = tile_counts(extent * np.ptp(W, axis=0), transforms)
        reach = extent * np.ptp(W, axis=0) / tiles
        step = chunk_points(len(W), transforms, reach)
        chunks = int(np.prod(tiles)) - 1 - (-len(points) // step)
        seconds += chunks * _COSTS.per_chunk(len(W), transforms, reach)
        seconds += len(points) * _COSTS.per_point(transforms, len(reach))
    return seconds < direct_seconds


def tile_counts(reach: FloatArray, transforms: int) -> NDArray[np.int_]:
    """Number of tiles along each axis into which to cut the points, so that the grid of each is not too large.

    The grid shrinks with the extent of the points: all tiles together need no more of it than the whole.
    """
    tiles = np.ones(len(reach), dtype=np.int_)
    while _grid_bytes(reach / tiles, transforms) > max(_MOST_GRID_BYTES, _grid_bytes(0 * reach, transforms)):
        tiles[np.argmax(reach / tiles)] += 1
    return tiles


def chunk_points(neurons: int, transforms: int, reach: FloatArray) -> int:
    """Number of points to transform at once; `reach` is the extent of frequencies times that of points, by axis."""
    wanted = _COSTS.per_chunk(neurons, transforms, reach) / (_REPEATED_SHARE * _COSTS.per_point(transforms, len(reach)))
    return int(np.clip(wanted, _LEAST_CHUNK, _MOST_CHUNK))


def _grid_bytes(reach: FloatArray, transforms: int) -> float:
    return 16.0 * min(transforms, 2) * _grid(reach)


def _grid(reach: FloatArray) -> float:
    """Number of points of the grid between frequencies and points, which resolves both."""
    coarse = np.maximum(UPSAMPLING * reach / (2 * np.pi) + _WIDTH + 1, 2 * (_WIDTH + 1))
    return float(np.prod(UPSAMPLING * coarse))


# ---- Sums of complex exponentials by non-uniform fast Fourier transforms of type 3 (scattered to scattered)

# The smallest tolerance that finufft reaches: its kernels are then 16 points wide, at twice the sampling rate.
_EPS = 1e-14


def sum_waves(
    W: FloatArray, strengths: ComplexArray, origin: FloatArray, points: FloatArray, *, threads: int
) -> FloatArray:
    """Real part of ``sum_j strengths[r, j] exp(i W_j (points - origin))``, shape ``(R, n)``.

    The points are cut into tiles if the grid of all would be too large, and into chunks whose size does not depend on
    the number of threads. One thread transforms each chunk, so the bits do not depend on the number of threads.

    Parameters
    ----------
    W : (M, d) array
        Frequencies, in one to three dimensions.
    strengths : (R, M) array
    origin : (d,) array
    points : (n, d) array
    threads : int
    """
    values = np.empty((len(strengths), len(points)))
    reach = np.ptp(W, axis=0) * np.ptp(points, axis=0)
    counts = tile_counts(reach, len(strengths))
    step = chunk_points(len(W), len(strengths), reach / counts)
    # transforms that run at the same time leave half of the memory free
    memory = 0.5 * min(memory_left(), physical_memory())
    needed = _grid_bytes(reach / counts, len(strengths)) + step * (16 * len(strengths) + 24 * len(reach) + 64)
    at_once = max(1, min(threads, int(memory / needed)))
    frequencies = [np.ascontiguousarray(column) for column in W.T]
    run_tasks(
        [
            partial(_transform, W, frequencies, strengths, origin, points, tile[start : start + step], values)
            for tile in _tiles(points, counts)
            for start in range(0, len(tile), step)
        ],
        at_once,
    )
    return values


def _tiles(points: FloatArray, counts: NDArray[np.int_]) -> list[NDArray[np.int_]]:
    """The indices of the points on each nonempty tile of their bounding box."""
    if np.all(counts == 1):
        return [np.arange(len(points))]
    lower, extent = points.min(axis=0), np.ptp(points, axis=0)
    share = np.divide(points - lower, extent, out=np.zeros_like(points), where=extent > 0)
    place = np.minimum((share * counts).astype(np.int_), counts - 1)
    tile = np.ravel_multi_index(tuple(place.T), tuple(counts))
    order = np.argsort(tile, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(tile[order])) + 1)


def _transform(
    W: FloatArray,
    frequencies: list[FloatArray],
    strengths: ComplexArray,
    origin: FloatArray,
    points: FloatArray,
    chosen: NDArray[np.int_],
    values: FloatArray,
) -> None:
    import finufft  # slow to load, and few programs evaluate at many points

    place = points[chosen] - origin
    # Measured from the middle of the points, phases are smallest. The phase of each wave at the middle may be many
    # turns; long doubles keep its digits, if the platform has them.
    middle = 0.5 * (place.min(axis=0) + place.max(axis=0))
    turn = W.astype(np.longdouble) @ middle.astype(np.longdouble)
    place -= middle
    turned = strengths * (np.cos(turn).astype(np.float64) + 1j * np.sin(turn).astype(np.float64))
    dimension = len(frequencies)
    plan = finufft.Plan(
        3, dimension, n_trans=len(turned), eps=_EPS, isign=1, nthreads=1, upsampfac=UPSAMPLING, showwarn=0
    )
    absent = [None] * (3 - dimension)
    plan.setpts(*frequencies, *absent, *(np.ascontiguousarray(column) for column in place.T))
    values[:, chosen] = plan.execute(turned if len(turned) > 1 else turned[0]).real
