"""A problem of the family "patches" as it is written, before anything compiles it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from random_families.conditions import fluxes
from random_families.draw import Draw
from random_families.places import Place, draw_place
from random_families.system import Setting, make_setting


@dataclass(frozen=True, eq=False)
class Stated:
    """What is told to `fs.Problem`, and what only the maker knows.

    Attributes
    ----------
    name : str
        Equation, place and ingredients of the solution.
    equations : tuple of Eq
    domain : Domain
    conditions : tuple of conditions
    unknowns : tuple
    exact : tuple of Expr
        One for each unknown.
    borders : tuple of Expr
        What is zero where a material ends; its gradient has length one there.
    material : Expr or number
        What the gradient is multiplied with in the flux that continues across them.
    least : float
        The smallest tolerance worth asking for.
    """

    name: str
    equations: tuple[sp.Eq, ...]
    domain: Domain
    conditions: tuple[Any, ...]
    unknowns: tuple[Any, ...]
    exact: tuple[sp.Expr, ...]
    borders: tuple[sp.Expr, ...] = ()
    material: Any = 1
    least: float = 1e-10

    def problem(self) -> fs.Problem:
        """The problem; refused by a version that does not know what is in it."""
        return fs.Problem(list(self.equations), self.domain, list(self.conditions), unknowns=list(self.unknowns))


def draw_setting(draw: Draw, kind: str) -> tuple[Place, Setting]:
    """Where a problem is posed: ``"1d"``, ``"2d"`` or ``"1d+t"``."""
    place = draw_place(draw, int(kind[0]))
    if kind != "1d+t":
        draw.dimension = int(kind[0])
        return place, make_setting(place.space, place.x)
    draw.dimension = 2
    return place, make_setting(place.space * fs.Time(0, draw.log_between(0.1, 5)), (*place.x, sp.Symbol("t")))


def unknown(setting: Setting, name: str = "u") -> Any:
    """A function of the coordinates."""
    return sp.Function(name)(*setting.x)


def equation(left: sp.Expr, right: sp.Expr) -> sp.Eq:
    """An equation that SymPy leaves as it is."""
    return sp.Eq(left, right, evaluate=False)


def boundary(draw: Draw, setting: Setting, exact: sp.Expr, impedance: Any = None) -> tuple[list[Any], str]:
    """Values, slopes or a mixture on each part of the boundary in space, of one unknown."""
    names = [part.name for part in setting.domain.boundary([str(v) for v in setting.x])]
    if draw.chance(0.5):
        return [fs.Dirichlet(exact)], "dirichlet"
    kinds = [draw.one_of(("dirichlet", "neumann", "robin")) for _ in names]
    if "dirichlet" not in kinds:
        kinds[0] = "dirichlet"
    space = setting.domain.space if setting.domain.time is not None else None
    known = fluxes(space, setting.x, exact) if space is not None else {}
    conditions: list[Any] = []
    for name, kind in zip(names, kinds, strict=True):
        slope = known[name] if known else fs.normal_derivative(exact)
        alpha = draw.between(0.5, 5) / setting.length if impedance is None else impedance
        conditions.append(
            {
                "dirichlet": fs.Dirichlet(exact, on=name),
                "neumann": fs.Neumann(slope, on=name),
                "robin": fs.Robin(alpha, 1, alpha * exact + slope, on=name),
            }[kind]
        )
    return conditions, " and ".join(sorted(set(kinds)))


def initial(setting: Setting, exact: sp.Expr, order: int) -> list[Any]:
    """Value, and slope for second order, when time begins."""
    t = setting.x[-1]
    return [fs.Initial(exact.diff(t, i).subs(t, 0), order=i) for i in range(order)]
