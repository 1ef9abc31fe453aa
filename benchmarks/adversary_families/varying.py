"""Resonances of a medium that varies: a known function of many half-waves, which slow data do not excite."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.polynomial.legendre import leggauss
from random_families.conditions import as_callable
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import AMPLE, Challenge
from adversary_families.stating import Stating

_SYMBOLS = sp.symbols("x y")
# Of functions along an axis, beyond the half-waves, for the eigenvalues nearby; they are needed to a digit.
_MORE = 14


@dataclass(frozen=True, eq=False)
class Medium:
    """lap u + q u on a box: a factor q that a known function turns to zero, and how far away it turns no other to it.

    Attributes
    ----------
    x : tuple of Symbol
    domain
    q, null : Expr
    slopes : bool
        Whether slopes along x are zero at the ends, not values.
    beside : float
        What is added to q for a problem that is far from any resonance.
    """

    x: tuple[sp.Symbol, ...]
    domain: Any
    q: sp.Expr
    null: sp.Expr
    slopes: bool
    beside: float

    def conditions(self, value: Any) -> list[Any]:
        """With the values and slopes that `value` has."""
        if not self.slopes:
            return [fs.Dirichlet(value)]
        slope = sp.sympify(value).diff(self.x[0])
        found = [fs.Neumann(-slope, on="x-"), fs.Neumann(slope, on="x+")]
        return found + ([fs.Dirichlet(value, on=["y-", "y+"])] if len(self.x) > 1 else [])


def draw_medium(draw: Draw) -> Medium:
    """Exp of cosines times sines, on an interval or a rectangle."""
    dimension, slopes = draw.one_of((1, 2, 2, 2)), draw.chance(0.3)
    x = _SYMBOLS[:dimension]
    high = {1: 14, 2: 7}[dimension]
    lengths = [draw.log_between(0.5, 2) for _ in x]
    numbers = [draw.one_of(range(2, high)) for _ in x]
    k = [n * math.pi / length for n, length in zip(numbers, lengths, strict=True)]
    strength, joint = draw.between(0.1, 0.5), draw.between(-0.4, 0.4)
    along = [sp.cos(w * v) for w, v in zip(k, x, strict=True)]
    across = [sp.sin(w * v) for w, v in zip(k, x, strict=True)]
    # where a factor of the waves vanishes, so does the slope of what they are multiplied with: q is smooth
    if slopes:
        waves, turned = [along[0], *across[1:]], sp.cos(2 * k[0] * x[0])
    else:
        waves, turned = across, along[0]
    exponent = strength * turned + (joint * turned * along[1] if dimension == 2 else 0)
    gradients = [exponent.diff(v) for v in x]
    # slope of the exponent times that of the waves over the waves, without the division
    steep = strength + (joint * along[1] if dimension == 2 else 0)
    quotients = [4 * k[0] ** 2 * across[0] ** 2 * steep if slopes else -(k[0] ** 2) * along[0] * steep]
    if dimension == 2:
        quotients.append(-(k[1] ** 2) * along[1] * joint * turned)
    squares = sum(w**2 for w in k)
    q = squares - sum(g.diff(v) + g**2 + 2 * p for g, v, p in zip(gradients, x, quotients, strict=True))
    null = sp.exp(exponent) * sp.prod(waves)
    domain: Any = fs.Interval(0, lengths[0]) if dimension == 1 else fs.Box((0, 0), tuple(lengths))
    beside = _farthest(as_callable(q, x), lengths, numbers, slopes)
    return Medium(x, domain, q, null, slopes, beside)


def _farthest(q: Any, lengths: list[float], numbers: list[int], slopes: bool) -> float:
    """What to add to q so that zero is in the middle of the widest gap between eigenvalues nearby."""
    points, weights = leggauss(2 * (max(numbers) + _MORE) + 10)
    grids, tables, stiff = [], [], []
    for axis, (length, number) in enumerate(zip(lengths, numbers, strict=True)):
        s = (points + 1) / 2
        orders = np.arange(number + _MORE) + (0 if slopes and axis == 0 else 1)
        table = (np.cos if slopes and axis == 0 else np.sin)(math.pi * np.outer(s, orders)) * math.sqrt(2)
        table[:, orders == 0] /= math.sqrt(2)
        grids.append(length * s)
        tables.append(table * np.sqrt(weights / 2)[:, None])
        stiff.append((orders * math.pi / length) ** 2)
    mesh = np.stack([g.ravel() for g in np.meshgrid(*grids, indexing="ij")], axis=1)
    table = tables[0] if len(tables) == 1 else np.kron(tables[0], tables[1])
    laplacian = stiff[0] if len(stiff) == 1 else np.add.outer(stiff[0], stiff[1]).ravel()
    values = np.linalg.eigvalsh(np.diag(laplacian) - table.T @ (q(mesh)[:, None] * table))
    near = values[np.argsort(np.abs(values))[:8]]
    near.sort()
    widest = int(np.diff(near).argmax())
    return float(f"{(near[widest] + near[widest + 1]) / 2:.6g}")


def make_varying(draw: Draw, hidden: bool) -> Challenge:
    """At the resonance, or all but; the twin is between two of them."""
    medium = draw_medium(draw)
    x, tol = medium.x, draw.log_between(1e-9, 1e-4)
    off = draw.one_of((0.0, 0.0, draw.log_between(1e-13, 1e-9)))
    slow, phases = [draw.between(0.3, 2) for _ in range(2)], [draw.phase(), draw.phase()]
    exact = sp.cos(slow[0] * x[0] + phases[0]) + draw.between(0.5, 1.5) * sp.sin(slow[1] * x[-1] + phases[1])
    q = medium.q * (1 + off) if hidden else medium.q + medium.beside
    stating = Stating(x, draw.chance(0.3))
    u = sp.Function("u")(*x)
    right = sum(exact.diff(v, 2) for v in x) + q * exact
    equation = sp.Eq(sum(u.diff(v, 2) for v in x) + stating.inside("q", q) * u, stating.inside("f", right))
    problem = fs.Problem(equation, medium.domain, medium.conditions(exact), given=stating.given)
    where = ("at" if off == 0 else f"{off:.0e} beside") if hidden else "far from"
    return Challenge(
        f"a medium that varies, {where} a resonance, {len(x)}d{', slopes' * medium.slopes}",
        problem,
        as_callable(exact, x),
        tol,
        stated="callable" if stating.given else "expression",
        determined=not hidden or off > 0,
        budget=AMPLE,
    )
