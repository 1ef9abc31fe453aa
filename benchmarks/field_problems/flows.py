"""Creeping flows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

import fspielm as fs
from field_problems.example import FieldExample, equations, field_example, functions, on_both, x, y
from fspielm.geometry import Domain

_PRESSURE = ((0, 0, 1),)
_HOLES = (((0.25, 0.3), 0.1), ((0.7, 0.25), 0.08), ((0.55, 0.7), 0.12))


def _stokes(u: Any, v: Any, p: Any) -> list[Any]:
    return [
        -u.diff(x, 2) - u.diff(y, 2) + p.diff(x),
        -v.diff(x, 2) - v.diff(y, 2) + p.diff(y),
        u.diff(x) + v.diff(y),
    ]


def _forced(k: float) -> tuple[Any, Any, Any]:
    """A velocity without sources and a pressure that need a force."""
    stream = sp.exp(x / 2) * sp.sin(k * (x + y**2 / 2)) / k
    return stream.diff(y), -stream.diff(x), sp.cos(k * (y + x * y / 2)) + x


def _point_force(force: Sequence[float], at: Sequence[float]) -> tuple[Any, Any, Any]:
    """The flow of a force at a point."""
    a, b = x - at[0], y - at[1]
    square = a**2 + b**2
    along = (force[0] * a + force[1] * b) / square
    return -force[0] * sp.log(square) / 2 + along * a, -force[1] * sp.log(square) / 2 + along * b, 2 * along


def _rotation(strength: float, at: Sequence[float]) -> tuple[Any, Any, Any]:
    """The flow around a point that turns."""
    a, b = x - at[0], y - at[1]
    return -strength * b / (a**2 + b**2), strength * a / (a**2 + b**2), sp.Integer(0)


def _sum(flows: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, ...]:
    return tuple(sum(parts) for parts in zip(*flows, strict=True))


def _given_all_around(domain: Domain, exact: Sequence[Any], driven: bool, wavelengths: float) -> FieldExample:
    u, v, p = functions("u v p", x, y)
    stated = [sp.Eq(left, 0) for left in _stokes(u, v, p)] if driven else equations(_stokes, (u, v, p), exact)
    problem = fs.Problem(stated, domain, [fs.Dirichlet({u: exact[0], v: exact[1]})], unknowns=[u, v, p])
    return FieldExample(problem, tuple(exact), wavelengths, modes=_PRESSURE)


def _holed() -> Domain:
    domain: Domain = fs.Box((0, 0), (1, 1))
    for center, radius in _HOLES:
        domain = domain - fs.Disk(center, radius)
    return domain


@field_example("Stokes on a disk", "creeping flow, forced, velocity on the rim")
def disk() -> FieldExample:
    """A stirred drop."""
    return _given_all_around(fs.Disk((0, 0), 1), _forced(8.0), False, 3)


@field_example("Stokes in a box", "creeping flow, forced, velocity on three walls, traction on the fourth")
def box() -> FieldExample:
    """A channel with an open end, whose traction fixes the pressure."""
    u, v, p = functions("u v p", x, y)
    exact = _forced(12.0)

    def traction(a: Any, b: Any, q: Any) -> list[Any]:
        return [2 * a.diff(x) - q, a.diff(y) + b.diff(x)]

    walls = fs.Dirichlet({u: exact[0], v: exact[1]}, on=["x-", "y-", "y+"])
    conditions = [walls, *on_both(traction, (u, v, p), exact, on="x+")]
    problem = fs.Problem(equations(_stokes, (u, v, p), exact), fs.Box((0, 0), (1, 1)), conditions, unknowns=[u, v, p])
    return FieldExample(problem, exact, 3)


@field_example("Stokes around three holes", "creeping flow, forced, in a box with three holes")
def holes() -> FieldExample:
    """A porous cell."""
    return _given_all_around(_holed(), _forced(10.0), False, 2)


@field_example("Stokes, walls alone", "creeping flow on a disk, driven by its rim")
def rim() -> FieldExample:
    """The flow of forces outside."""
    exact = _sum(
        [_point_force((1.0, -0.5), (1.3, 0.6)), _point_force((0.3, 1.0), (-1.2, 0.9)), _rotation(1, (0, -1.4))]
    )
    return _given_all_around(fs.Disk((0, 0), 1), exact, True, 0)


@field_example("Stokes, three holes, walls alone", "creeping flow in a box with three holes, driven by its walls")
def pegs() -> FieldExample:
    """Three pegs that pull and turn, each in its own hole."""
    pulls = ((1.0, 0.4), (-0.6, 0.8), (0.2, -1.0))
    flows = [_point_force(pull, center) for pull, (center, _) in zip(pulls, _HOLES, strict=True)]
    flows += [_rotation(0.1 * (i + 1), center) for i, (center, _) in enumerate(_HOLES)]
    flows.append(_point_force((1.0, 1.0), (1.4, 0.3)))
    return _given_all_around(_holed(), _sum(flows), True, 0)
