"""A system of equations, what its problems need, and how its unknowns are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import sympy as sp

from fspielm.geometry import Domain
from random_families.conditions import as_callable
from random_families.draw import Draw
from random_families.smooth_solutions import draw_solution

Fields: TypeAlias = Sequence[sp.Expr]
Operator: TypeAlias = Callable[[Fields], list[sp.Expr]]
# Fields and a normal to what may be given on a boundary.
Natural: TypeAlias = Callable[[Fields, Fields], list[sp.Expr]]
Modes: TypeAlias = tuple[tuple[sp.Expr, ...], ...]


@dataclass(frozen=True, eq=False)
class System:
    """Equations for several unknowns.

    Attributes
    ----------
    name : str
    names : tuple of str
        Of the unknowns.
    operator : callable
        Fields to the left-hand sides.
    held : tuple of int
        The unknowns whose values belong to the boundary.
    natural : callable or None
        What may be given in their place, and has as many entries.
    exact : tuple of Expr
    ingredients : str
        What `exact` is made of.
    sourceless : bool
        Whether the right-hand sides are zero.
    time_orders : tuple of int
        Initial conditions that each unknown asks for; empty without time.
    inflow : str
        The only part of the boundary where values may be given; all of them if empty.
    modes, free_modes : tuple of tuple of Expr
        The fields that are seen by nothing where values are given all around, and where nothing but `natural` is.
    """

    name: str
    names: tuple[str, ...]
    operator: Operator
    held: tuple[int, ...]
    natural: Natural | None
    exact: tuple[sp.Expr, ...]
    ingredients: str
    sourceless: bool = False
    time_orders: tuple[int, ...] = ()
    inflow: str = ""
    modes: Modes = ()
    free_modes: Modes = ()


@dataclass(frozen=True, eq=False)
class Setting:
    """Where a system is posed: the domain, its coordinates, and these from -1 to 1."""

    domain: Domain
    x: tuple[sp.Symbol, ...]
    s: tuple[sp.Expr, ...]
    half: tuple[float, ...]

    @property
    def r(self) -> list[sp.Expr]:
        """Coordinates about the middle."""
        return [a * b for a, b in zip(self.s, self.half, strict=True)]

    @property
    def space(self) -> tuple[sp.Symbol, ...]:
        """The coordinates but for time."""
        return self.x if self.domain.time is None else self.x[:-1]

    @property
    def length(self) -> float:
        """Half of the largest extent in space."""
        return max(self.half[: len(self.space)] or self.half)

    def scaled(self, expression: sp.Expr, size: float = 1.0) -> sp.Expr:
        """The expression so that its root mean square is `size`, to three digits."""
        values = as_callable(expression, self.x)(self.domain.sample(200, np.random.default_rng(0)))
        return expression * float(f"{size / np.sqrt(np.mean(np.abs(values) ** 2)):.3g}")


def make_setting(domain: Domain, x: tuple[sp.Symbol, ...]) -> Setting:
    """The coordinates of a domain in its own units, to four digits."""
    lower, upper = domain.bounding_box
    half = tuple(float(f"{v:.4g}") for v in 0.5 * (upper - lower))
    middle = [float(f"{v:.4g}") for v in 0.5 * (lower + upper)]
    return Setting(domain, x, tuple((v - m) / h for v, m, h in zip(x, middle, half, strict=True)), half)


def draw_smooth(draw: Draw, setting: Setting, sizes: Sequence[float]) -> tuple[tuple[sp.Expr, ...], str]:
    """Fields of these sizes that are solutions of nothing, and what they are made of."""
    found, told = [], []
    for size in sizes:
        field, names = draw_solution(draw, draw.one_of(("test", "calibration")), setting.s)
        found.append(setting.scaled(field, size))
        told.append(names)
    return tuple(found), "; ".join(told)


def smooth_coefficient(draw: Draw, s: Fields) -> sp.Expr:
    """A function about one that never vanishes."""
    phase = draw.between(0.5, 3) * s[0] + draw.between(-2, 2) * s[-1] + draw.phase()
    return 1 + draw.between(0.1, 0.6) * sp.sin(phase)


def laplacian(v: sp.Expr, x: Sequence[sp.Symbol]) -> sp.Expr:
    """The sum of second derivatives."""
    return sum(v.diff(i, 2) for i in x)


def gradient(v: sp.Expr, x: Sequence[sp.Symbol]) -> list[sp.Expr]:
    """The first derivatives."""
    return [v.diff(i) for i in x]


def divergence(v: Fields, x: Sequence[sp.Symbol]) -> sp.Expr:
    """The sum of each component's derivative along its own coordinate."""
    return sum(a.diff(i) for a, i in zip(v, x, strict=True))


def inner(a: Fields, b: Fields) -> sp.Expr:
    """The sum of products."""
    return sum(p * q for p, q in zip(a, b, strict=True))
