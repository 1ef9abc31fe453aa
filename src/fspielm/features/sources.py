"""Fundamental solutions: the fields of point sources outside of a domain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.errors import ProblemError
from fspielm.features.basis import Basis
from fspielm.features.local import LocalOperator
from fspielm.features.outgoing import outgoing_derivatives
from fspielm.features.singular import Orders, Power
from fspielm.features.zeta import Polar, off_zero, zeta_weights

_LOGARITHM = Power(0, 0, True)


@final
class SourceBasis(Basis):
    """Solutions of ``laplacian u + ratio u = 0`` in the plane that are singular at one point each.

    With r the distance from the source and c its clearance: ``log(r / c)`` for a ratio of zero, ``Y0(k r)`` for
    ``ratio = k^2`` and ``K0(k r)`` for ``ratio = -k^2``, these two divided by their size at r = c.

    Parameters
    ----------
    points : (M, 2) array
        The sources, outside of the domain.
    ratio : float
        As `helmholtz_ratio` finds it in an equation.
    clearances : (M,) array
        Distances of the sources from the domain, or about that.
    """

    def __init__(self, points: ArrayLike, ratio: float, clearances: ArrayLike) -> None:
        self.points = np.array(points, dtype=np.float64)
        self.ratio = float(ratio)
        self.clearances = np.array(clearances, dtype=np.float64)
        if self.points.ndim != 2 or self.points.shape[1] != 2 or not len(self.points):
            raise ProblemError(f"points must have shape (M, 2), with at least one source; got {self.points.shape}")
        if self.clearances.shape != self.points.shape[:1] or not np.all(self.clearances > 0):
            raise ProblemError(
                f"clearances must be {len(self.points)} positive lengths, one for each source; got {clearances!r}"
            )
        if not math.isfinite(self.ratio):
            raise ProblemError(f"ratio must be a finite number; got {ratio!r}")
        self.points.flags.writeable = self.clearances.flags.writeable = False

    @property
    def size(self) -> int:
        """Number of functions, one for each source."""
        return len(self.points)

    @property
    def dimension(self) -> int:
        """Two."""
        return 2

    @property
    def sources(self) -> FloatArray:
        """The points."""
        return self.points

    def fill(self, operator: LocalOperator, columns: slice, out: FloatArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        clearance = self.clearances[columns, None]
        x, y = (operator.points[:, axis] - self.points[columns, axis, None] for axis in (0, 1))
        # in units of the clearance, where every function is of order one
        zeta = off_zero(np.asarray((x + 1j * y) / clearance, dtype=np.complex128))
        out[...] = 0.0
        weights = zeta_weights(operator, 1.0)
        found = self._derivatives(Polar(zeta), clearance, list(weights))
        for (orders, weight), derivative in zip(weights.items(), found, strict=True):
            out += (weight * derivative).real / clearance ** sum(orders)

    def _derivatives(self, polar: Polar, clearance: FloatArray, orders: Sequence[Orders]) -> list[ComplexArray]:
        if self.ratio == 0.0:
            return _LOGARITHM.derivatives(polar, orders)
        wavenumber = math.sqrt(abs(self.ratio)) * clearance
        return outgoing_derivatives(0, wavenumber, self.ratio < 0, polar, orders)
