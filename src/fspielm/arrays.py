"""Array types and the check of points that every public function makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fspielm.errors import ProblemError

FloatArray = NDArray[np.float64]
NumberArray = NDArray[Any]  # of float64 or complex128
ComplexArray = NDArray[np.complex128]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]
IntArray = NDArray[np.int64]
SideArray = NDArray[np.int8]

_ROWS_AT_A_TIME = 2**20

# Larger data and coefficients are refused: norms take squares, and doubles end at 1e308.
LARGEST = 1e140


def as_points(points: ArrayLike, dimension: int, *, argument: str = "points") -> FloatArray:
    """Return `points` as a float64 array of shape ``(n, dimension)``, or say what is wrong with it."""
    try:
        array: NDArray[Any] = np.asarray(points)
    except ValueError as error:
        raise ProblemError(
            f"{argument} must have shape (n, {dimension}), one row per point; got rows of different lengths"
        ) from error
    if array.shape == (0,):  # an empty list
        return np.empty((0, dimension))
    if array.ndim != 2 or array.shape[1] != dimension:
        raise ProblemError(
            f"{argument} must have shape (n, {dimension}), one row per point; got shape {array.shape}"
            + _hint(array.ndim, dimension, argument)
        )
    if array.dtype.kind not in "fiub":
        raise ProblemError(f"{argument} must be real numbers; got dtype {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def as_finite_points(points: ArrayLike, dimension: int, *, argument: str = "points") -> FloatArray:
    """Like `as_points`; also refuses NaN and infinity, naming the first row that has one."""
    array = as_points(points, dimension, argument=argument)
    for start in range(0, len(array), _ROWS_AT_A_TIME):
        finite = np.isfinite(array[start : start + _ROWS_AT_A_TIME])
        if not finite.all():
            row = start + int(np.argmin(finite.all(axis=1)))
            raise ProblemError(f"{argument} must be finite; got {array[row].tolist()} in row {row}")
    return array


def _hint(ndim: int, dimension: int, argument: str) -> str:
    if ndim == 1 and dimension == 1:
        return f"; make it a column with {argument}[:, None]"
    return f"; a single point is [[{', '.join(['...'] * dimension)}]]" if ndim < 2 else ""


def apply_matrix(matrix: FloatArray, points: FloatArray) -> FloatArray:
    """``matrix x`` for each row x of `points`. Not by BLAS, whose last bits depend on the number of points."""
    return np.asarray(np.sum(points[:, None, :] * matrix, axis=2), dtype=np.float64)


def adjoint(matrix: NumberArray) -> NumberArray:
    """The conjugate transpose; a view if the matrix is real."""
    return matrix.conj().T if np.iscomplexobj(matrix) else matrix.T


def real_parts(values: NumberArray) -> tuple[FloatArray, ...]:
    """The real and the imaginary part of complex values; real values unchanged."""
    return (values.real, values.imag) if np.iscomplexobj(values) else (values,)


def spread_out(values: NumberArray, where: BoolArray) -> NumberArray:
    """The values ``(m, ...)`` where a mask ``(n,)`` of m points is true, NaN elsewhere."""
    spread = np.full((len(where), *values.shape[1:]), np.nan, dtype=values.dtype)
    spread[where] = values
    return spread


def beyond_range(values: NumberArray) -> BoolArray:
    """Mask of values that are NaN, infinite, or larger than `LARGEST`."""
    return np.asarray(~(np.abs(values) <= LARGEST), dtype=np.bool_)


def positions_in_runs(counts: NDArray[np.integer[Any]]) -> IndexArray:
    """``0, 1, ..., count - 1`` for each of the `counts`, one run after the other."""
    positions: IndexArray = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return positions


def safe_norm(values: NumberArray) -> float:
    """Euclidean norm without overflow or underflow of the squares."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0 or not np.isfinite(largest):
        return largest
    return largest * float(np.linalg.norm(values / largest))


def safe_rms(values: NumberArray) -> float:
    """Root mean square without overflow or underflow of the squares."""
    return safe_norm(values) / float(np.sqrt(max(values.size, 1)))


T = TypeVar("T")


@final
class Latest(Generic[T]):
    """Remembers the result of the last call, and the objects it belongs to."""

    def __init__(self) -> None:
        self._known: tuple[tuple[object, ...], T] | None = None

    def __call__(self, work: Callable[[], T], *subjects: object) -> T:
        """The result of `work` for these objects; the last one if they are the same objects as before."""
        known = self._known  # another thread may change the attribute at any time
        if known is None or not all(one is other for one, other in zip(subjects, known[0], strict=True)):
            known = self._known = subjects, work()
        return known[1]
