"""Frequencies along the boundary at which a condition lets a function through.

With coefficients frozen, ``exp(i xi tau x + p n x)`` satisfies the equation at the roots p of its symbol; those with
a positive real part fall off inward from the boundary with the outward normal n. If the conditions there vanish on a
sum of them, that sum is a function which neither the equation nor the conditions see: ``exp(m n x) cos(m tau x)`` for
Laplace's equation with ``du/dn = m u``. The determinant of the conditions on those roots says where that is so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.spectrum.hidden.frozen import Frozen, roots_of

# A determinant so small beside its terms is a zero; near a minimum it is looked for with so many zooms.
_ZERO = 1e-3
_ZOOMS = 5
_FINE = 17
# Minima above this are none.
_LOW = 0.5
# Roots closer to the axis than this neither fall off nor grow.
_DECAYS = 1e-9

# Determinants ``(r, k)`` at some places, by number ``(r,)``, and values ``(r, k)`` of what is searched along.
Determinant: TypeAlias = Callable[[NDArray[np.int_], FloatArray], FloatArray]


@final
@dataclass(frozen=True, eq=False)
class BoundarySymbol:
    """The equation and its conditions at m places of a boundary part.

    Attributes
    ----------
    equation : Frozen
    conditions : tuple of Frozen
    normals : (m, d) array
        Outward.
    """

    equation: Frozen
    conditions: tuple[Frozen, ...]
    normals: FloatArray

    def falling(self, place: int, s: ComplexArray) -> ComplexArray:
        """The exponents at a place that fall off inward, beside `s` along the boundary: ``(k, d)``."""
        here, normal = np.array([place]), self.normals[[place]]
        unit = np.maximum(np.linalg.norm(s[None], axis=1), np.finfo(np.float64).tiny)
        (roots,) = roots_of(self.equation.select(here).along(s[None], normal), unit)
        with np.errstate(invalid="ignore"):
            inward = roots[roots.real > _DECAYS * np.abs(roots)]
        return np.asarray(s + inward[:, None] * normal)

    def determinant(self, places: NDArray[np.int_], s: ComplexArray) -> FloatArray:
        """Of the conditions on the roots that fall off inward, relative to its terms: ``(r, k)``.

        At some of the places ``(r,)``, for exponents ``(r, k, d)``.

        NaN where there are not as many such roots as conditions, or some that do not fall off.
        """
        r, k, d = s.shape
        each, flat = np.repeat(places, k), s.reshape(r * k, d)
        here, falling = self.roots_inward(each, flat, len(self.conditions))
        result = np.full(r * k, np.nan)
        if here.size:
            normals = self.normals[each[here]]
            operators = [operator.select(each[here]).along(flat[here], normals) for operator in self.conditions]
            result[here] = _relative_determinant(operators, falling)
        return result.reshape(r, k)

    def roots_inward(
        self, places: NDArray[np.int_], s: ComplexArray, number: int
    ) -> tuple[NDArray[np.intp], ComplexArray]:
        """Which of some exponents ``(n, d)`` at places ``(n,)`` have a `number` of roots that fall off, and those."""
        normals = self.normals[places]
        unit = np.maximum(np.linalg.norm(s, axis=1), np.finfo(np.float64).tiny)
        roots = roots_of(self.equation.select(places).along(s, normals), unit)
        with np.errstate(invalid="ignore"):
            slack = _DECAYS * np.abs(roots)
            inward, outward = roots.real > slack, roots.real < -slack
        suits = (inward.sum(axis=1) == number) & np.all(inward | outward | np.isnan(roots), axis=1)
        here = np.flatnonzero(suits)
        order = np.argsort(~inward[here], axis=1, kind="stable")[:, :number]
        return here, np.take_along_axis(roots[here], order, axis=1)


def zeros_along(determinant: Determinant, grid: FloatArray, places: int) -> list[tuple[int, float]]:
    """Where a determinant vanishes: which place, and the value on the (increasing, positive) grid or between.

    Infinity stands for a determinant that is zero all the way to the end of the grid.
    """
    values = determinant(np.arange(places), np.broadcast_to(grid, (places, len(grid))))
    found = [(int(i), float("inf")) for i in np.flatnonzero(np.all(values[:, -3:] < _ZERO**2, axis=1))]
    endless = {place for place, _ in found}
    middle = np.where(np.isnan(values), np.inf, values)
    padded = np.pad(middle, ((0, 0), (1, 1)), constant_values=np.inf)
    lowest = (middle < _LOW) & (middle <= padded[:, :-2]) & (middle <= padded[:, 2:])
    rows, columns = np.nonzero(lowest)
    kept = np.array([row not in endless for row in rows], dtype=bool)
    rows, columns = rows[kept], columns[kept]
    if not rows.size:
        return found
    lower, upper = grid[np.maximum(columns - 1, 0)], grid[np.minimum(columns + 1, len(grid) - 1)]
    best = np.empty(len(rows))
    for _ in range(_ZOOMS):
        fine = np.geomspace(lower, upper, _FINE, axis=1)
        there = determinant(rows, fine)
        there = np.where(np.isnan(there), np.inf, there)
        at, each = there.argmin(axis=1), np.arange(len(rows))
        best = there[each, at]
        lower, upper = fine[each, np.maximum(at - 1, 0)], fine[each, np.minimum(at + 1, _FINE - 1)]
    where = np.sqrt(lower * upper)
    return found + [(int(row), float(x)) for row, x, low in zip(rows, where, best, strict=True) if low < _ZERO]


def _relative_determinant(operators: list[ComplexArray], roots: ComplexArray) -> FloatArray:
    """Of polynomials (one for each condition) modulo the one with the given roots.

    Unlike that of their values at the roots it does not vanish where two roots are the same, as all are of a plate.
    """
    number = roots.shape[1]
    size = np.maximum(np.abs(roots).max(axis=1), np.finfo(np.float64).tiny)
    units = roots / size[:, None]
    modulus = np.ones((len(roots), 1), dtype=np.complex128)  # highest power first
    for k in range(number):
        longer = np.pad(modulus, ((0, 0), (0, 1)))
        longer[:, 1:] -= units[:, k, None] * modulus
        modulus = longer
    rows = []
    for operator in operators:
        scaled = operator * size[:, None] ** np.arange(operator.shape[1])
        terms = np.maximum(np.abs(scaled).sum(axis=1), np.finfo(np.float64).tiny)
        left = (scaled / terms[:, None])[:, ::-1].copy()  # highest power first
        for power in range(left.shape[1] - number):
            left[:, power : power + number + 1] -= left[:, power, None] * modulus
        tail = left[:, -number:] if left.shape[1] >= number else np.pad(left, ((0, 0), (number - left.shape[1], 0)))
        rows.append(tail)
    return np.asarray(np.abs(np.linalg.det(np.stack(rows, axis=1))))
