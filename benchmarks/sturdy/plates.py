"""Clamped plates: fourth order, two conditions on one rim, and data of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import sympy as sp
from problems import Example, clamped, x, y

_K = 9
_BESSEL = sp.besselj(0, _K * sp.sqrt((x + sp.Rational(3, 10)) ** 2 + (y + sp.Rational(1, 5)) ** 2))

# Solutions, and the right-hand sides of those for which they are simpler by hand.
_DATA: dict[str, tuple[sp.Expr, sp.Expr | None]] = {
    "product of waves": (sp.sin(10 * x + 3) * sp.cos(8 * y), None),
    "growing wave": (sp.exp(x) * sp.sin(6 * y + x), None),
    "hyperbolic fronts": (sp.cos(7 * x * y + 2), None),
    "pole outside": (1 / (x + y + sp.Rational(7, 10)), None),
    "bent fronts": (sp.sin(4 * (x + y**2 / 2)), None),
    "Bessel wave": (_BESSEL, _K**4 * _BESSEL),
    "polynomial and wave": (x**3 * y - 2 * x * y**2 + sp.sin(12 * x - 5 * y) / 2, None),
    "no load": (x * sp.exp(3 * x) * sp.sin(3 * y), sp.Integer(0)),
}


def _plate(data: str) -> Example:
    exact, source = _DATA[data]
    return Example(clamped(exact, source), exact)


PLATES: dict[str, Callable[[], Example]] = {f"plate, {data}": partial(_plate, data) for data in _DATA}
