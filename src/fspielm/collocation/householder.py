"""QR by Householder reflections, in the memory of the matrix, to which columns can be added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import SolveError
from fspielm.resources import check_deadline

# Operations that take a second on a slow machine: as many columns are rotated between checks of the deadline, and tasks
# of more are worth several threads.
LONG = 2e9
# Larger factorisations, by operations, are done in strips of so many columns.
_ONE_STRIP_OPERATIONS, _STRIP = 5e9, 256


@final
@dataclass(frozen=True, eq=False)
class Panel:
    """Columns of ``Q R``: R in the upper triangle of `packed`, and the reflections of Q below it.

    LAPACK reads both in place.

    Attributes
    ----------
    above : (m, k) array
        Rows of R above the triangle, one for each column of previous panels.
    packed : (N - m, k) array, Fortran order
    tau : (k,) array
        Scales of the reflections.
    """

    above: NumberArray
    packed: NumberArray
    tau: NumberArray

    @property
    def columns(self) -> slice:
        """The columns of the whole matrix."""
        start = len(self.above)
        return slice(start, start + self.packed.shape[1])

    @property
    def column_sums(self) -> FloatArray:
        """Sums of the absolute entries of R by column."""
        inside = [np.abs(column[: j + 1]).sum() for j, column in enumerate(self.packed.T)]
        return np.asarray(np.abs(self.above).sum(axis=0) + inside)

    def rotate(self, values: NumberArray, *, in_place: bool = False) -> NumberArray:
        """``Q^H values``, shape ``(N - m,)`` or ``(N - m, n)``; `in_place` allows the memory of `values`.

        Columns are rotated in groups, with checks of the deadline in between.
        """
        if not len(self.tau):  # LAPACK does not accept this
            return values
        step = max(int(LONG / (4.0 * len(values) * len(self.tau))), _STRIP)
        if values.ndim == 2 and values.shape[1] > step:
            kind = np.result_type(self.packed, values)
            rotated = values if in_place and values.dtype == kind else np.array(values, kind, order="F")
            for start in range(0, values.shape[1], step):
                check_deadline()
                some = slice(start, start + step)
                rotated[:, some] = self.rotate(np.asfortranarray(rotated[:, some]), in_place=True)
            return rotated
        adjoint = "C" if np.iscomplexobj(self.packed) or np.iscomplexobj(values) else "T"
        reflections = self.packed[:, : len(self.tau)]  # no more than rows
        given = values if values.ndim == 2 else values[:, None]

        def apply(workspace: int) -> Any:
            return _lapack("ormqr", "L", adjoint, reflections, self.tau, given, lwork=workspace, overwrite_c=in_place)

        if values.ndim == 2:
            _, work, _ = apply(-1)  # asks for the best workspace
            return np.asarray(apply(int(work[0].real))[0])
        # For one column LAPACK's blocks of reflections take several times longer than single ones, which the minimal
        # workspace selects.
        return np.ascontiguousarray(apply(1)[0][:, 0])

    def solve_triangle(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """Solve with the triangle of these columns."""
        solved, info = _lapack("trtrs", self.packed, values, trans=2 if adjoint else 0)
        if info > 0:
            raise SolveError(
                f"column {len(self.above) + info} of {self.columns.stop} is exactly dependent on the others; "
                "use TruncatedSVD, or other functions"
            )
        return np.asarray(solved)


@final
@dataclass(frozen=True, eq=False)
class Householder:
    """``H = Q R``, a `Factored` system; by `of_system`, `of_matrix` or `extend`.

    The rank is the number of diagonal entries of R above rounding, the condition number a one-norm estimate from R.

    Attributes
    ----------
    panels : tuple of Panel
        The columns factored first, then those added.
    rotated : (N,) array or None
        ``Q^H y``, if there were values: its head gives the solution, its tail the residual.
    """

    panels: tuple[Panel, ...]
    rotated: NumberArray | None = None

    @classmethod
    def of_matrix(cls, matrix: NumberArray, values: NumberArray | None = None) -> Householder:
        """Factor H alone ``(N, M)``, which may have fewer rows than columns, in place; y is rotated afterwards."""
        alone = cls((Panel(matrix[:0], *factor_in_place(matrix)),))
        return alone if values is None else replace(alone, rotated=alone.rotate(values))

    @classmethod
    def of_system(cls, augmented: NumberArray) -> Householder:
        """Factor ``[H | y]``, shape ``(N, M + 1)`` with N >= M, in place."""
        whole, columns = Panel(augmented[:0], *factor_in_place(augmented)), augmented.shape[1] - 1
        rotated = whole.packed[:, columns].copy()
        if len(rotated) > columns:  # undo the last reflection, which took the residual to one entry
            size, reflection = rotated[columns], rotated[columns:]
            reflection[0] = 1.0
            reflection *= -whole.tau[columns] * size
            reflection[0] += size
        return cls((Panel(augmented[:0, :columns], whole.packed[:, :columns], whole.tau[:columns]),), rotated)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows N and columns M of H."""
        return len(self.panels[0].packed), self.panels[-1].columns.stop

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the numbers in H."""
        return np.result_type(*(panel.packed for panel in self.panels))

    @property
    def nbytes(self) -> int:
        """Memory of the panels and of the rotated values."""
        values = 0 if self.rotated is None else self.rotated.nbytes
        return values + sum(panel.above.nbytes + panel.packed.nbytes for panel in self.panels)

    @property
    def diagonal(self) -> FloatArray:
        """Absolute diagonal entries of R."""
        return np.concatenate([np.abs(np.diagonal(panel.packed)) for panel in self.panels])

    @property
    def rank(self) -> int:
        """The number of diagonal entries above rounding."""
        diagonal = self.diagonal
        return int(np.count_nonzero(diagonal > self.shape[0] * np.finfo(self.dtype).eps * diagonal.max()))

    @cached_property
    def condition(self) -> float:
        """Estimate of the one-norm condition number of R."""
        from scipy.sparse.linalg import LinearOperator, onenormest  # seldom needed, slow to import

        rows, columns = self.shape
        if rows < columns or not np.all(self.diagonal > 0):
            return float("inf")
        norm = max(float(panel.column_sums.max()) for panel in self.panels)
        if columns <= 4:
            inverse = np.stack([self.solve_triangle(row) for row in np.eye(columns)], axis=1)
            return norm * float(np.abs(inverse).sum(axis=0).max())
        operator = LinearOperator(
            (columns, columns),
            dtype=self.dtype,
            matvec=lambda v: self.solve_triangle(np.ravel(v)),
            rmatvec=lambda v: self.solve_triangle(np.ravel(v), adjoint=True),
        )
        return norm * float(onenormest(operator, t=1))

    @cached_property
    def coefficients(self) -> NumberArray:
        """The coefficients for the values that H was factored with."""
        if self.rotated is None:
            raise SolveError("the matrix was factored without values; solve for some")
        return self.solve_triangle(self.rotated[: self.shape[1]])

    def solve(self, values: NumberArray) -> NumberArray:
        """Coefficients for other values, ``(N,)`` or ``(N, n)``."""
        return self.solve_triangle(self.rotate(values)[: self.shape[1]])

    def rotate(self, values: NumberArray, *, in_place: bool = False) -> NumberArray:
        """``Q^H values``, shape ``(N,)`` or ``(N, n)``; `in_place` allows the memory of `values`."""
        first, *others = self.panels
        rotated = first.rotate(values, in_place=in_place)
        for panel in others:
            below = slice(panel.columns.start, None)
            rotated[below] = panel.rotate(rotated[below])
        return rotated

    def solve_triangle(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """``R^-1 values``, or ``R^-H values``, panel by panel."""
        solved: list[NumberArray] = []
        if adjoint:
            for panel in self.panels:
                rest = values[panel.columns]
                if solved:
                    rest = rest - panel.above.conj().T @ np.concatenate(solved)
                solved.append(panel.solve_triangle(rest, adjoint=True))
            return np.concatenate(solved)
        for panel in reversed(self.panels):
            solved.insert(0, panel.solve_triangle(values[panel.columns]))
            values = values[: panel.columns.start] - panel.above @ solved[0]
        return np.concatenate(solved)

    def extend(self, columns: NumberArray) -> Householder:
        """Factor ``[H | columns]`` at the cost of the `columns` ``(N, K)``, whose memory is taken over."""
        turned, inside = self.rotate(columns, in_place=True), self.shape[1]
        panel = Panel(turned[:inside], *factor_in_place(np.asfortranarray(turned[inside:])))
        if self.rotated is None:
            return Householder((*self.panels, panel))
        head, tail = np.split(self.rotated, [inside])
        return Householder((*self.panels, panel), np.concatenate([head, panel.rotate(tail)]))

    def restricted(self, columns: NDArray[np.intp]) -> Householder:
        """Factor some of the columns of H, at no cost if they are the first ones; without values."""
        first, number = self.panels[0], len(columns)
        if number <= first.packed.shape[1] and np.array_equal(columns, np.arange(number)):
            return Householder((Panel(first.above[:, :number], first.packed[:, :number], first.tau[:number]),))
        size = self.shape[1]
        triangle = np.zeros((size, size), dtype=self.dtype, order="F")
        for panel in self.panels:
            triangle[: len(panel.above), panel.columns] = panel.above
            triangle[panel.columns, panel.columns] = np.triu(panel.packed[: panel.packed.shape[1]])
        return Householder.of_matrix(np.asfortranarray(triangle[:, columns]))


def factor_in_place(matrix: NumberArray) -> tuple[NumberArray, NumberArray]:
    """R and the reflections of a matrix, packed into its memory, and their scales.

    Large ones are factored in strips, as LAPACK does, with checks of the deadline in between.
    """
    rows, columns = matrix.shape
    if 2.0 * rows * columns**2 <= _ONE_STRIP_OPERATIONS:
        return _factor_at_once(matrix)
    packed, scales = np.asfortranarray(matrix), []
    for start in range(0, min(rows, columns), _STRIP):
        check_deadline()
        end = min(start + _STRIP, columns)
        strip, tau = _factor_at_once(packed[start:, start:end].copy(order="F"))
        packed[start:, start:end] = strip
        scales.append(tau)
        if end < columns:
            packed[start:, end:] = Panel(strip[:0], strip, tau).rotate(packed[start:, end:], in_place=True)
    return packed, np.concatenate(scales)


def workspace_numbers(rows: int, columns: int) -> int:
    """Workspace of a factorisation in place, in numbers: copies of strips, and the columns rotated at once."""
    if 2.0 * rows * columns**2 <= _ONE_STRIP_OPERATIONS:
        return 64 * columns
    return rows * _STRIP + max(rows * _STRIP, int(LONG / (4 * _STRIP))) + 64 * columns


def _factor_at_once(matrix: NumberArray) -> tuple[NumberArray, NumberArray]:
    work, _ = scipy.linalg.get_lapack_funcs("geqrf_lwork", (matrix,))(*matrix.shape)
    packed, tau, _, _ = _lapack("geqrf", matrix, lwork=int(work.real), overwrite_a=True)
    return packed, tau


def _lapack(name: str, *arguments: Any, **options: Any) -> Any:
    """Call a function of LAPACK for the type of its arguments."""
    arrays = [argument for argument in arguments if isinstance(argument, np.ndarray)]
    function = scipy.linalg.get_lapack_funcs(name, arrays)
    results = function(*arguments, **options)
    if results[-1] < 0:
        raise SolveError(f"LAPACK {function.typecode}{name} failed with info={results[-1]}")
    return results
