"""Outgoing waves of gratings: periodic rows of copies along the first axis."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray, NumberArray
from fspielm.basis.basis import AT_ONCE, Basis, LinearMap, LocalOperator
from fspielm.basis.outgoing.placement import SHARE_OF_GAP
from fspielm.basis.outgoing.radiating import RadiatingBasis
from fspielm.problem.scattering.open_domain import Lattice


@final
class FoldedBasis(LinearMap):
    """Functions that are defined in one period, continued quasi-periodically to all others.

    Parameters
    ----------
    basis : Basis
        For a single unknown, complex.
    lattice : Lattice
    """

    def __init__(self, basis: Basis, lattice: Lattice) -> None:
        super().__init__(basis)
        self.lattice = lattice

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        folded, phases = fold(operator, self.lattice)
        self.basis.write(folded, columns, out)
        out *= phases


def fold(operator: LocalOperator, lattice: Lattice) -> tuple[LocalOperator, ComplexArray]:
    """The operator at points moved to the middle period, and the phases of the values there."""
    copies = lattice.copies(operator.points)
    points = operator.points - np.outer(copies, (lattice.period, 0.0))
    return replace(operator, points=points), lattice.phases(copies)


# ---- Waves of a row of copies
# Copies close by are summed directly. All farther copies on either side are summed as plane waves along the row:
# Hankel's functions are integrals of these along the path of steepest descent, on which the sum over copies is a
# geometric series (K. Yasumoto, K. Yoshitomi, IEEE Trans. Antennas Propag. 47, 1999). Above and below the objects there
# are only a few waves, the orders of the grating.

# Accuracy of all sums: the natural logarithm of rounding.
_FOLDINGS = -math.log(np.finfo(np.float64).eps)
# How much larger than their sum plane waves may be, as a logarithm.
_CANCELLED = 3.0


@final
class GratingBasis(LinearMap):
    """The functions of a `RadiatingBasis`, each summed over all copies of its center along the first axis.

    Parameters
    ----------
    basis : RadiatingBasis
        With centers in the middle period.
    lattice : Lattice
    bottom, top : float
        The lower and upper end of the objects, between which all centers lie.
    """

    def __init__(self, basis: RadiatingBasis, lattice: Lattice, bottom: float, top: float) -> None:
        super().__init__(basis)
        self.alone, self.lattice = basis, lattice
        self.bottom, self.top = bottom, top

    def fill(self, operator: LocalOperator, columns: slice, out: ComplexArray) -> None:
        """Write the operator on the functions `columns`; see `Basis.fill`."""
        folded, phases = fold(operator, self.lattice)
        height = folded.points[:, 1]
        above, below = height > self.top + self._edge, height < self.bottom - self._edge
        for here, sign in ((above, 1), (below, -1)):
            index = np.flatnonzero(here)
            if len(index):
                waves = self._orders(sign, _FOLDINGS)
                out[:, index] = (waves.at(folded.select(index)) @ waves.strengths(self.alone, columns)).T
        index = np.flatnonzero(~(above | below))
        if len(index):
            out[:, index] = self._nearby(folded.select(index), columns)
        out *= phases

    def amplitudes(self, sign: int) -> tuple[NDArray[np.int_], ComplexArray]:
        """Indices of the orders that leave upward (1) or downward (-1), and their sizes ``(J, M)`` at the origin."""
        waves = self._orders(sign, 0.0)
        numbers, _, across = self.lattice.orders()
        edge = self.top + self._edge if sign > 0 else -(self.bottom - self._edge)
        return numbers, np.exp(-1j * across * edge)[:, None] * waves.strengths(self.alone, slice(0, self.size))

    @property
    def _edge(self) -> float:
        """The distance from the objects, half a period, from which on orders are used above and below them."""
        return 0.5 * self.lattice.period

    def _orders(self, sign: int, foldings: float) -> _Waves:
        """The orders of the grating above or below it, of size one at the edge of the region where they are used."""
        k, period = self.lattice.wavenumber, self.lattice.period
        highest = int(self.alone.orders.max(initial=0))
        # high orders of multipoles excite more of them
        _, along, across = self.lattice.orders((foldings + 2.0 * highest) / self._edge if foldings else 0.0)
        edge = self.top + self._edge if sign > 0 else self.bottom - self._edge
        # the weights are those of a source; each further multipole order multiplies by the turn
        return _Waves(along, sign * across, -1j * (along + 1j * sign * across) / k, 2 / (period * across), 0.0, edge)

    def _nearby(self, operator: LocalOperator, columns: slice) -> ComplexArray:
        """The functions near the objects: close copies directly, all others as waves along the row."""
        period, copies = self.lattice.period, self._copies
        count = len(range(self.size)[columns])
        total = np.zeros((count, len(operator.points)), dtype=np.complex128)
        part = np.empty_like(total)
        for number in range(-copies, copies + 1):
            moved = replace(operator, points=operator.points - (number * period, 0.0))
            self.alone.fill(moved, columns, part)
            total += self.lattice.phases(np.array(float(number))) * part
        for waves in self._sides:
            strengths = waves.strengths(self.alone, columns)
            step = max(AT_ONCE // len(strengths), 1)
            for start in range(0, len(operator.points), step):
                some = slice(start, start + step)
                total[:, some] += (waves.at(operator.select(some)) @ strengths).T
        return total

    @cached_property
    def _tall(self) -> float:
        """The largest distance of centers and points across the row."""
        return self.top - self.bottom + self._edge

    @cached_property
    def _copies(self) -> int:
        """Number of close copies on either side: the plane waves of the others do not cancel much."""
        k, period = self.lattice.wavenumber, self.lattice.period
        apart = max(k * self._tall**2 / (4 * _CANCELLED), self._tall, period)
        return math.ceil(apart / period)

    @cached_property
    def _sides(self) -> tuple[_Waves, _Waves]:
        """The copies on the right and those on the left as plane waves along the row."""
        return self._side(1), self._side(-1)

    def _side(self, side: int) -> _Waves:
        """The copies on the right (1), whose waves travel to the left, or those on the left (-1)."""
        lattice, first = self.lattice, self._copies + 1
        k, kd = lattice.wavenumber, lattice.wavenumber * lattice.period
        tau = self._path(side)
        root = np.sqrt(tau**2 - 2j)
        cosine, sine = 1 + 1j * tau**2, tau * root
        step = 1j * (kd * cosine + side * lattice.along * lattice.period)  # from one copy to the next
        series = np.exp(first * step) / (1 - np.exp(step))
        weights = -2j * (tau[1] - tau[0]) / (np.pi * root) * series
        turn = 1j * side * (cosine + 1j * sine)
        height = 0.5 * (self.bottom + self.top)
        return _Waves(-side * k * cosine, -side * k * sine, turn, weights, lattice.middle, height)

    def _path(self, side: int) -> FloatArray:
        """Nodes on the path of steepest descent, as dense and as far as full accuracy requires."""
        lattice, first = self.lattice, self._copies + 1
        kd, tall = lattice.wavenumber * lattice.period, lattice.wavenumber * self._tall
        highest = int(self.alone.orders.max(initial=0)) + 2
        # equal steps converge with the width of the strip around the path that contains no pole of the series, nor the
        # branch point of the root, 1 + i
        turned = (kd + side * lattice.along * lattice.period) / (2 * np.pi)
        pole = math.sqrt(np.pi * abs(turned - round(turned)) / kd)
        strip = min(SHARE_OF_GAP * min(pole, 1.0), math.sqrt(10.0 / ((first + 1) * kd)))
        grown = (first + 1) * kd * strip**2 + (2 * highest + tall) * strip
        step = 2 * np.pi * strip / (_FOLDINGS + grown)
        grid = np.linspace(0, 3 * math.sqrt((_FOLDINGS + 8 * highest + tall) / ((first - 1) * kd)), 4001)
        decay = (first - 1) * kd * grid**2 - tall * np.minimum(grid, 1.0) - highest * np.log(1 + 2 * grid + 2 * grid**2)
        last = grid[np.flatnonzero(decay - decay.min() <= _FOLDINGS)[-1]]
        return step * np.arange(-math.ceil(last / step), math.ceil(last / step) + 1)


@final
@dataclass(frozen=True, eq=False)
class _Waves:
    """Plane waves ``exp(i (along (x - x0) + across (y - y0)))`` whose sums are the fields of sources."""

    along: NumberArray  # (J,)
    across: NumberArray  # (J,)
    turn: ComplexArray  # (J,): factor from one order of a multipole to the next
    weights: NumberArray  # (J,): amplitudes in the field of a source
    x0: float
    y0: float

    def at(self, operator: LocalOperator) -> ComplexArray:
        """The operator on each wave, ``(n, J)``."""
        x, y = operator.points.T
        factors = np.zeros((len(x), len(self.along)), dtype=np.complex128)
        for (m, n), coefficient in zip(operator.orders, operator.coefficients, strict=True):
            factors += np.multiply.outer(
                np.broadcast_to(coefficient, len(x)), (1j * self.along) ** int(m) * (1j * self.across) ** int(n)
            )
        return np.asarray(
            factors * np.exp(1j * (np.outer(x - self.x0, self.along) + np.outer(y - self.y0, self.across)))
        )

    def strengths(self, alone: RadiatingBasis, columns: slice) -> ComplexArray:
        """Amplitudes of the waves in the functions `columns`, ``(J, m)``."""
        center, order = alone.places(columns)
        x, y = alone.centers[center].T
        back = 1j * (np.outer(self.along, x - self.x0) + np.outer(self.across, y - self.y0))
        # one exponential of the sum, as single factors may overflow
        exponents = np.outer(np.log(self.turn), order) - np.log(alone.sizes[columns]) - back
        return np.asarray(self.weights[:, None] * np.exp(exponents))
