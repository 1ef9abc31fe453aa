"""Least-squares methods, and the factored systems that they return."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Protocol, final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.collocation.householder import Householder, workspace_numbers
from fspielm.collocation.nested import Nested, NestedQR
from fspielm.errors import ProblemError, SolveError


class Factored(Protocol):
    """A factored system ``H beta = y`` with ``H = Q R``, however it is stored."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows N and columns M of H."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers in H: float64 or complex128."""

    @property
    def nbytes(self) -> int:
        """Memory of the factored system."""

    @property
    def coefficients(self) -> NumberArray:
        """Coefficients beta for the values y that H was factored with, shape ``(M,)``."""

    @property
    def rank(self) -> int:
        """Numerical rank of H by the criterion of the method."""

    @property
    def condition(self) -> float:
        """Condition number of H, or an estimate; see each method."""

    def solve(self, values: NumberArray) -> NumberArray:
        """Coefficients for other values, ``(N,)`` or ``(N, n)``."""

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of R."""

    def solve_triangle(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """``R^-1 values``, or ``R^-H values``; there must be at least as many rows as columns."""

    def extend(self, columns: NumberArray) -> Factored:
        """Factor ``[H | columns]`` at the cost of the `columns` ``(N, K)``, whose memory is taken over.

        There must be at least ``M + K`` rows.
        """

    def restricted(self, columns: NDArray[np.intp]) -> Factored:
        """Factor some of the columns of H, at no cost if they are the first ones."""


class LeastSquares(ABC):
    """A method for ``min |H beta - y|``, real or complex.

    Attributes
    ----------
    name : str
    leaves_triangle : bool
        Whether a solve leaves the factor R; otherwise R needs another factorisation.
    """

    name: ClassVar[str]
    leaves_triangle: ClassVar[bool]

    @abstractmethod
    def factor(self, augmented: NumberArray | Nested, *, in_place: bool = False) -> Factored:
        """Solve with ``[H | y]``, shape ``(N, M + 1)``, or with the rows of cells; Fortran order saves a copy.

        The result may read `augmented` again later, so it must not change; with `in_place` its memory is taken over.
        """

    @abstractmethod
    def workspace(self, rows: int, columns: int, *, in_place: bool = False, itemsize: int = 8) -> int:
        """Bytes that `factor` allocates besides ``[H | y]``, with numbers of `itemsize` bytes."""


def check_finite(augmented: NumberArray) -> None:
    """Refuse NaN and infinity, with which LAPACK may not even return; their sum shows them without further memory."""
    with np.errstate(invalid="ignore", over="ignore"):
        if not np.isfinite(augmented.sum()):
            raise SolveError("the matrix or the right-hand side contains NaN or infinity")


@final
@dataclass(frozen=True)
class QR(LeastSquares):
    """Householder QR of ``[H | y]`` without truncation, and one triangular solve.

    The orthogonal factor is never formed. The rank is the number of diagonal entries of R above rounding, the condition
    number a one-norm estimate from R.
    """

    name: ClassVar[str] = "qr"
    leaves_triangle: ClassVar[bool] = True

    def factor(self, augmented: NumberArray | Nested, *, in_place: bool = False) -> Householder | NestedQR:
        """Solve; raises `SolveError` if columns are exactly dependent or there are too few rows."""
        if not isinstance(augmented, np.ndarray):
            return NestedQR(augmented)
        check_finite(augmented)
        rows, columns = augmented.shape[0], augmented.shape[1] - 1
        if rows < columns:
            raise SolveError(
                f"QR needs at least as many rows as functions; got {rows} rows and {columns} functions: "
                "add points, use fewer functions, or use TruncatedSVD"
            )
        factored = Householder.of_system(augmented if in_place else augmented.copy(order="F"))
        diagonal = factored.diagonal
        if not np.all(diagonal > 0):
            raise SolveError(
                f"{np.count_nonzero(diagonal == 0)} of {columns} columns are exactly dependent on the "
                "others; use TruncatedSVD, or other functions"
            )
        return factored

    def workspace(self, rows: int, columns: int, *, in_place: bool = False, itemsize: int = 8) -> int:
        """One copy of ``[H | y]`` and LAPACK's blocks; in place, the columns rotated at once."""
        return itemsize * (workspace_numbers(rows, columns) if in_place else rows * (columns + 1) + 64 * (columns + 1))


# Size of the smallest subproblems of LAPACK's divide and conquer.
_SMALLEST_SUBPROBLEM = 25


@final
@dataclass(frozen=True)
class TruncatedSVD(LeastSquares):
    """Minimum-norm least squares by LAPACK's gelsd, without the smallest singular values.

    The rank is the number of singular values kept; the condition number is the ratio of the largest to the smallest of
    all singular values.

    Parameters
    ----------
    tol : float
        Singular values up to this fraction of the largest are dropped; between 0 and 1, both excluded (LAPACK
        would take 0 for the rounding unit).
    """

    tol: float = 1e-12
    name: ClassVar[str] = "svd"
    leaves_triangle: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.tol, Real) or not 0 < self.tol < 1:
            raise ProblemError(f"tol must be a number between 0 and 1, such as 1e-12; got {self.tol!r}")

    def factor(self, augmented: NumberArray | Nested, *, in_place: bool = False) -> MinimumNorm:
        """Solve; raises `SolveError` if the singular values do not converge."""
        if isinstance(augmented, Nested):
            raise SolveError("TruncatedSVD does not solve systems of cells; use QR")
        check_finite(augmented)
        coefficients, rank, singular = _least_norm(augmented[:, :-1], augmented[:, -1], self.tol)
        smallest = float(singular[-1])
        condition = float(singular[0]) / smallest if smallest > 0 else float("inf")
        return MinimumNorm(coefficients, rank, condition, self.tol, augmented, in_place)

    def workspace(self, rows: int, columns: int, *, in_place: bool = False, itemsize: int = 8) -> int:
        """One copy of H, in place or not, and a bound of LAPACK's workspace, whose query overflows for huge systems."""
        small = min(rows, columns)
        levels = max(0, int(math.log2(max(small, 1) / _SMALLEST_SUBPROBLEM)) + 1)
        blocked = 64 * (rows + columns) if rows >= columns else 64 * (rows + columns) + small**2
        divide_and_conquer = small * (16 + 2 * _SMALLEST_SUBPROBLEM + 8 * levels) + (_SMALLEST_SUBPROBLEM + 1) ** 2
        return itemsize * (rows * columns + rows + columns + blocked + divide_and_conquer)


@final
@dataclass(frozen=True, eq=False)
class MinimumNorm:
    """The result of gelsd as a `Factored` system, whose triangle is made when it is needed.

    Attributes
    ----------
    coefficients : (M,) array
    rank : int
    condition : float
    tol : float
        Of the `TruncatedSVD`.
    augmented : (N, M + 1) array
        ``[H | y]``.
    in_place : bool
        Whether the triangle uses the memory of H.
    """

    coefficients: NumberArray
    rank: int
    condition: float
    tol: float
    augmented: NumberArray
    in_place: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Rows N and columns M of H."""
        return self.augmented.shape[0], self.augmented.shape[1] - 1

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers in H."""
        return self.augmented.dtype

    @property
    def nbytes(self) -> int:
        """Memory of the system; the triangle needs as much again, unless in place."""
        return self.augmented.nbytes

    @cached_property
    def triangle(self) -> Householder:
        """The QR factorisation of H, which gelsd does not return."""
        matrix, values = self.augmented[:, :-1], self.augmented[:, -1]
        return Householder.of_matrix(matrix if self.in_place else matrix.copy(order="F"), values)

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of R."""
        return self.triangle.diagonal

    def solve(self, values: NumberArray) -> NumberArray:
        """Coefficients for other values, ``(N,)`` or ``(N, n)``: R has the singular values of H."""
        columns = self.shape[1]
        triangle = np.triu(self.triangle.panels[0].packed[:columns])
        return _least_norm(triangle, self.triangle.rotate(values)[:columns], self.tol)[0]

    def solve_triangle(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """``R^-1 values``, or ``R^-H values``."""
        return self.triangle.solve_triangle(values, adjoint=adjoint)

    def extend(self, columns: NumberArray) -> Householder:
        """Factor ``[H | columns]`` without truncation."""
        return self.triangle.extend(columns)

    def restricted(self, columns: NDArray[np.intp]) -> Householder:
        """Factor some of the columns of H without truncation."""
        return self.triangle.restricted(columns)


def _least_norm(matrix: NumberArray, values: NumberArray, tol: float) -> tuple[NumberArray, int, FloatArray]:
    """Coefficients, rank and singular values."""
    try:
        coefficients, _, rank, singular = scipy.linalg.lstsq(
            matrix, values, cond=tol, lapack_driver="gelsd", check_finite=False
        )
    except np.linalg.LinAlgError as error:
        raise SolveError(f"the singular values did not converge: {error}") from error
    return np.ascontiguousarray(coefficients), int(rank), singular
