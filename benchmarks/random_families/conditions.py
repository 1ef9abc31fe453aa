"""What conditions are made of: outward normals as expressions, and callables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import fspielm as fs
from fspielm.expr import make_field
from fspielm.geometry import Domain


def normals(space: Domain, x: Sequence[sp.Symbol]) -> dict[str, list[sp.Expr]]:
    """The outward normal of the boundary parts on which it is a simple expression."""
    if isinstance(space, fs.Box):
        return {
            f"{x[axis]}{side}": [
                sp.Integer((side == "+") - (side == "-")) * (i == axis) for i in range(space.dimension)
            ]
            for axis in range(space.dimension)
            for side in "-+"
        }
    if isinstance(space, fs.Polygon | fs.LShape):
        return _edge_normals(space)
    if isinstance(space, fs.Ball):
        return {"sphere": [(v - c) / space.radius for v, c in zip(x, space.center, strict=False)]}
    if isinstance(space, fs.Annulus):
        away = [(v - c) for v, c in zip(x, space.center, strict=False)]
        return {"inner": [-v / space.inner for v in away], "outer": [v / space.outer for v in away]}
    if isinstance(space, fs.Disk | fs.Pacman):
        radial = [(v - c) / space.radius for v, c in zip(x, space.center, strict=False)]
        if isinstance(space, fs.Disk):
            return {"circle": radial}
        sin, cos = math.sin(space.mouth), math.cos(space.mouth)
        return {"arc": radial, "upper": [sp.Float(sin), sp.Float(-cos)], "lower": [sp.Float(sin), sp.Float(cos)]}
    return {}


def _edge_normals(space: Domain) -> dict[str, list[sp.Expr]]:
    """Of straight edges: the same all along."""
    rng = np.random.default_rng(0)
    found = {part.name: part.sample(1, rng).normals for part in space.boundary()}
    return {name: [sp.Float(float(v)) for v in n[0]] for name, n in found.items() if n is not None}


def fluxes(space: Domain, x: Sequence[sp.Symbol], exact: sp.Expr) -> dict[str, sp.Expr]:
    """The derivative of `exact` along the outward normal, on the parts that have one in `normals`."""
    return {
        name: sum(n * exact.diff(v) for n, v in zip(normal, x, strict=False))
        for name, normal in normals(space, x).items()
    }


def as_callable(expression: sp.Expr, x: Sequence[sp.Symbol]) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Values of an expression as a function of points."""
    # not lambdify by itself, which rounds the numbers in an expression to 15 digits
    field = make_field(expression, tuple(x))

    def values(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return field(points)

    return values
