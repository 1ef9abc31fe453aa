"""Fields of sources and multipoles in the plane, which leave or fall off, as expressions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from random_families.draw import Draw

X, Y = sp.symbols("x y")


@dataclass(frozen=True)
class Medium:
    """Of which equation: ``laplacian u + square u = 0``.

    Attributes
    ----------
    kind : {"waves", "lossy", "screened", "laplace"}
    k : complex
        Its root, with an imaginary part that is not negative; zero for Laplace's equation.
    """

    kind: str
    k: complex

    @property
    def square(self) -> sp.Expr:
        """What multiplies u."""
        k = sp.sympify(self.k)
        return sp.Float((k**2).evalf()) if self.kind in ("waves", "screened") else sp.expand(k**2)

    def equation(self, u: sp.Expr) -> sp.Eq:
        """Stated for `u`."""
        return sp.Eq(u.diff(X, 2) + u.diff(Y, 2) + self.square * u, 0)

    def multipole(self, place: tuple[float, float], order: int, turn: float, size: float) -> sp.Expr:
        """Of an order, of about one at the distance `size`; real but for waves."""
        a, b = X - place[0], Y - place[1]
        r = sp.sqrt(a**2 + b**2)
        if self.kind == "laplace":
            if order == 0:
                return sp.log(r / size)
            parts = math.cos(turn) * _real_power(a, b, order) + math.sin(turn) * _imaginary_power(a, b, order)
            return size**order * parts / (a**2 + b**2) ** order
        if self.kind == "screened":
            rate = float(abs(self.k))
            angular = _real_power(a, b, order) / r**order if order else sp.Integer(1)
            return angular * sp.besselk(order, rate * r) / float(sp.besselk(order, rate * size).evalf())
        angular = ((a + sp.I * b) / r) ** order if order else sp.Integer(1)
        height = abs(complex(sp.hankel1(order, self.k * size).evalf()))
        return sp.exp(sp.I * turn) * angular * sp.hankel1(order, sp.sympify(self.k) * r) / height


def _real_power(a: sp.Expr, b: sp.Expr, order: int) -> sp.Expr:
    """The real part of (a + i b)^order."""
    return sum((-1) ** j * math.comb(order, 2 * j) * a ** (order - 2 * j) * b ** (2 * j) for j in range(order // 2 + 1))


def _imaginary_power(a: sp.Expr, b: sp.Expr, order: int) -> sp.Expr:
    return sum(
        (-1) ** j * math.comb(order, 2 * j + 1) * a ** (order - 2 * j - 1) * b ** (2 * j + 1)
        for j in range((order + 1) // 2)
    )


def draw_medium(draw: Draw, size: float) -> Medium:
    """Waves mostly, from long ones to such as are short beside objects of this radius."""
    kind = draw.one_of(("waves",) * 6 + ("lossy", "screened") + ("laplace",) * 2)
    if kind == "laplace":
        return Medium(kind, 0.0)
    if kind == "screened":
        return Medium(kind, 1j * float(f"{draw.log_between(0.1, 20) / size:.3g}"))
    k = float(f"{draw.log_between(0.1, 50) / size:.4g}")
    return Medium(kind, k if kind == "waves" else complex(k, float(f"{k * draw.log_between(0.01, 1):.3g}")))


def draw_field(draw: Draw, medium: Medium, places: Sequence[tuple[float, float]], size: float) -> sp.Expr:
    """A multipole at each place; bounded far away for Laplace's equation, whose charges add up to zero."""
    total, charge = sp.Integer(0), 0.0
    for place in places:
        order = draw.one_of((0, 0, 1, 1, 2))
        strength = draw.log_between(0.2, 2) * draw.one_of((-1, 1))
        if medium.kind == "laplace" and order == 0:
            charge += strength
        total += strength * medium.multipole(place, order, draw.phase(), size)
    if charge:
        total -= charge * medium.multipole(places[-1], 0, 0.0, size)
    if total == 0:
        total = medium.multipole(places[0], 1, draw.phase(), size)
    return total
