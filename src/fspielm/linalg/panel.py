"""Some columns of a Householder factorisation, in the memory of the matrix they came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
import scipy

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import SolveError


@final
@dataclass(frozen=True, eq=False)
class Panel:
    """Columns of ``Q R``: R in the upper triangle of `packed`, and the reflections that make up Q below it.

    LAPACK reads both in place; neither is ever formed.

    Attributes
    ----------
    above : (m, k) array
        Rows of R over the triangle, one for each column of the panels before this one.
    packed : (N - m, k) array, Fortran order
    tau : (k,) array
        Scales of the reflections.
    """

    above: NumberArray
    packed: NumberArray
    tau: NumberArray

    @property
    def columns(self) -> slice:
        """Which columns of the whole these are."""
        start = len(self.above)
        return slice(start, start + self.packed.shape[1])

    @property
    def column_sums(self) -> FloatArray:
        """Of the absolute entries of R."""
        inside = [np.abs(column[: j + 1]).sum() for j, column in enumerate(self.packed.T)]
        return np.asarray(np.abs(self.above).sum(axis=0) + inside)

    def rotate(self, values: NumberArray, *, in_place: bool = False) -> NumberArray:
        """``Q^H values``, shape ``(N - m,)`` or ``(N - m, n)``, in the memory of `values` if possible and allowed."""
        adjoint = "C" if np.iscomplexobj(self.packed) or np.iscomplexobj(values) else "T"
        reflections = self.packed[:, : len(self.tau)]  # no more than rows
        given = values if values.ndim == 2 else values[:, None]

        def apply(workspace: int) -> Any:
            return _lapack("ormqr", "L", adjoint, reflections, self.tau, given, lwork=workspace, overwrite_c=in_place)

        if values.ndim == 2:
            _, work, _ = apply(-1)  # a question: how much workspace LAPACK would like
            return np.asarray(apply(int(work[0].real))[0])
        # With the least workspace LAPACK applies reflection by reflection; gathering them in blocks, as it would for
        # many columns, takes several times longer for one.
        return np.ascontiguousarray(apply(1)[0][:, 0])

    def solve_triangle(self, values: NumberArray, *, adjoint: bool = False) -> NumberArray:
        """With the triangle of these columns alone."""
        solved, info = _lapack("trtrs", self.packed, values, trans=2 if adjoint else 0)
        if info > 0:
            raise SolveError(
                f"column {len(self.above) + info} of {self.columns.stop} is exactly dependent on the others; "
                "use TruncatedSVD, or other features"
            )
        return np.asarray(solved)


def factor_panel(above: NumberArray, matrix: NumberArray) -> Panel:
    """Factor `matrix` in place: its memory becomes the panel's."""
    work, _ = scipy.linalg.get_lapack_funcs("geqrf_lwork", (matrix,))(*matrix.shape)
    packed, tau, _, _ = _lapack("geqrf", matrix, lwork=int(work.real), overwrite_a=True)
    return Panel(above, packed, tau)


def _lapack(name: str, *arguments: Any, **options: Any) -> Any:
    """Call a function of LAPACK for the type that its arguments have."""
    arrays = [argument for argument in arguments if isinstance(argument, np.ndarray)]
    function = scipy.linalg.get_lapack_funcs(name, arrays)
    results = function(*arguments, **options)
    if results[-1] < 0:
        raise SolveError(f"LAPACK {function.typecode}{name} failed with info={results[-1]}")
    return results
