"""A box less ten disks that almost touch: Poisson's equation and an elastic body."""

from __future__ import annotations

from typing import Any

import sympy as sp
from random_families.stated import Stated, equation

import fspielm as fs
from fspielm.geometry import Domain
from patch_problems.elements import Elements, box, disk
from patch_problems.example import PatchProblem, patch_problem, steady, x, y

_UPPER = (1.0, 0.42)
_RADIUS = 0.09
# Two rows of five, with gaps of a hundredth.
_CENTERS = [(0.12 + 0.19 * i, 0.115 + 0.19 * j) for i in range(5) for j in range(2)]
_SIDES = ["x-", "x+", "y-", "y+"]
_LAMBDA, _MU = 1.5, 1.0


def _domain() -> Domain:
    domain: Any = fs.Box((0, 0), _UPPER)
    for index, center in enumerate(_CENTERS):
        domain = domain - fs.Disk(center, _RADIUS, name=f"hole {index}")
    return domain


def _shape(occ: Any) -> Any:
    face = box((0, 0), _UPPER)(occ)
    for vertex in face.vertices:
        vertex.hpref = 1
    for center in _CENTERS:
        face = face - disk(occ, center, _RADIUS)
    return face


@patch_problem("ten holes", "Poisson in a box less ten insulating disks with gaps of a hundredth")
def poisson() -> PatchProblem:
    """Heated evenly, cold at the sides."""
    conditions = [fs.Dirichlet(0, on=_SIDES), fs.Neumann(0, on="rest")]
    stated = steady(_domain(), None, f=1, conditions=conditions)
    return PatchProblem(stated, 1e-8, elements=Elements(_shape, 0.03, f=1, held="|".join(_SIDES), levels=6))


@patch_problem("ten holes, elastic", "an elastic body of the same shape, held at its sides, pulled by its weight")
def elastic() -> PatchProblem:
    """The holes are free."""
    u, v = (sp.Function(name)(x, y) for name in "uv")
    spread = _LAMBDA * (u.diff(x) + v.diff(y))
    along, across = spread + 2 * _MU * u.diff(x), spread + 2 * _MU * v.diff(y)
    shear = _MU * (u.diff(y) + v.diff(x))
    weight = (0.3, -1.0)
    balance = (
        equation(along.diff(x) + shear.diff(y), sp.Float(-weight[0])),
        equation(shear.diff(x) + across.diff(y), sp.Float(-weight[1])),
    )
    conditions: list[Any] = [fs.Dirichlet({u: 0, v: 0}, on=_SIDES)]
    for index, center in enumerate(_CENTERS):
        n = [-(x - center[0]) / _RADIUS, -(y - center[1]) / _RADIUS]
        forces = along * n[0] + shear * n[1], shear * n[0] + across * n[1]
        conditions += [fs.Condition(sp.Eq(force, 0), on=f"hole {index}.circle") for force in forces]
    stated = Stated("", balance, _domain(), tuple(conditions), (u, v), ())
    elements = Elements(_shape, 0.03, f=weight, value=(0, 0), held="|".join(_SIDES), elastic=(_LAMBDA, _MU), levels=6)
    return PatchProblem(stated, 1e-8, elements=elements)
