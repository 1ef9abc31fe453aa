"""Layers, narrow sources and corners: solutions that are rough in a small place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from random_families.draw import Draw, dot
from random_families.smooth_solutions import draw_solution
from random_families.stated import Stated, boundary, draw_setting, equation, initial, unknown
from random_families.system import Setting, laplacian

x, y = sp.symbols("x y")


def draw_layer(draw: Draw) -> Stated:
    """A layer along a side, a circle or across the domain; diffusion with reaction or drift, small before them."""
    kind = draw.one_of(("1d", "2d", "2d", "1d+t"))
    draw.slower = 3.0
    place, setting = draw_setting(draw, kind)
    smooth, told = draw_solution(draw, "test", setting.s)
    width = draw.log_between(1e-3 if kind == "1d" else 5e-3, 0.05)
    layer, where = _layer(draw, setting, place.space, width)
    exact = smooth + draw.between(0.5, 1) * layer * (1 + sp.sin(setting.s[-1] + draw.phase()) / 2)
    length, u = setting.length, unknown(setting)
    eps = width * length
    name = draw.one_of(("reaction", "drift"))
    angle = draw.rng.standard_normal(len(setting.space))
    along = (angle / np.linalg.norm(angle)).round(3).tolist()

    def operator(v: sp.Expr) -> sp.Expr:
        flow = laplacian(v, setting.space)
        rest = (
            v if name == "reaction" else sum(b * length * v.diff(i) for b, i in zip(along, setting.space, strict=True))
        )
        change = setting.half[-1] * v.diff(setting.x[-1]) if kind == "1d+t" else 0
        return change - (eps**2 if name == "reaction" else eps * length) * flow + rest

    conditions: tuple[Any, ...] = (fs.Dirichlet(exact), *initial(setting, exact, int(kind == "1d+t")))
    told = f"{name} with a layer of {width:g} {where} on {place.name} ({kind}), dirichlet; {told}"
    return Stated(
        told, (equation(operator(u), operator(exact)),), setting.domain, conditions, (u,), (exact,), least=1e-8
    )


def _layer(draw: Draw, setting: Setting, space: Domain, width: float) -> tuple[sp.Expr, str]:
    """What falls from one to zero within `width` of half of the domain's extent."""
    if isinstance(space, fs.Disk) and draw.chance(0.7):
        square = sum(v**2 for v in setting.s)
        return sp.exp((square - 1) / (2 * width)), "along the circle"
    if draw.chance(0.5):
        return sp.exp(-(setting.s[0] + 1) / width), "along the least x"
    s = setting.s if setting.domain.time is None or draw.chance(0.5) else setting.s[:1]
    vector = draw.rng.standard_normal(len(s))
    across = dot((vector / np.linalg.norm(vector)).round(3).tolist(), s) - draw.between(-0.4, 0.4)
    return sp.tanh(across / width), "across"


def draw_narrow(draw: Draw) -> Stated:
    """A source of a hundredth to a twentieth of the domain: a narrow solution, or a wide one of a narrow source."""
    kind = draw.one_of(("1d", "2d", "2d", "2d", "1d+t"))
    draw.slower = 2.0
    place, setting = draw_setting(draw, kind)
    smooth, told = draw_solution(draw, "test", setting.s)
    width = draw.log_between(0.02, 0.1)  # of half of the extent
    peak, shape = _peak(draw, setting, width)
    exact = smooth + draw.between(0.3, 1) * peak
    u, length = unknown(setting), setting.length
    k = draw.frequency() / length if draw.chance(0.4) and kind != "1d+t" else 0
    rate = setting.half[-1] * draw.log_between(1, 10) / length**2 if kind == "1d+t" else 0

    def operator(v: sp.Expr) -> sp.Expr:
        change = rate * v.diff(setting.x[-1]) if rate else 0
        return change - laplacian(v, setting.space) - k**2 * v

    conditions, sides = boundary(draw, setting, exact)
    conditions += initial(setting, exact, int(kind == "1d+t"))
    name = "heat" if rate else "helmholtz" if k else "poisson"
    told = f"{name} with a {shape} of width {width / 2:g} on {place.name} ({kind}), {sides}; {told}"
    return Stated(
        told,
        (equation(operator(u), operator(exact)),),
        setting.domain,
        tuple(conditions),
        (u,),
        (exact,),
        least=1e-9,
    )


def _peak(draw: Draw, setting: Setting, width: float) -> tuple[sp.Expr, str]:
    """Something narrow in the middle half of the domain, which moves if there is time."""
    center = [draw.between(-0.5, 0.5) for _ in setting.space]
    away = [s - c for s, c in zip(setting.s, center, strict=False)]
    if setting.domain.time is not None:
        away[0] -= draw.between(-0.4, 0.4) * setting.s[-1]
    square = sum(a**2 for a in away)
    shapes = {
        "gaussian": sp.exp(-square / width**2),
        "pair of gaussians": sp.exp(-square / width**2) - sp.exp(-((away[0] - 2 * width) ** 2) / width**2)
        if len(away) == 1
        else sp.exp(-square / width**2) * (1 + away[0] / width),
        "lorentzian source": sp.log(square + width**2) / 4
        if len(away) > 1
        else away[0] * sp.atan(away[0] / width) - width / 2 * sp.log(square + width**2),
    }
    shape = draw.one_of(list(shapes))
    return shapes[shape], shape


def draw_corner(draw: Draw) -> Stated:
    """A corner of more than half a turn, or a side where the condition changes, with the solution of its own."""
    size, angle = draw.log_between(0.3, 5), draw.phase()
    opening = draw.one_of((math.pi, 1.5 * math.pi, 1.5 * math.pi, draw.between(1.2, 1.9) * math.pi))
    changes = opening == math.pi or draw.chance(0.3)
    exponent = math.pi / opening / (2 if changes else 1)
    middle = [draw.between(-2, 2), draw.between(-2, 2)]
    away = [x - middle[0], y - middle[1]]
    turned = dot((math.cos(angle), math.sin(angle)), away), dot((-math.sin(angle), math.cos(angle)), away)
    r, theta = sp.sqrt(turned[0] ** 2 + turned[1] ** 2) / size, sp.atan2(turned[1], turned[0])
    # zero at the one side, zero or flat at the other
    singular = r**exponent * sp.sin(exponent * (theta + opening / 2))
    draw.dimension = 2
    smooth, told = draw_solution(draw, "test", [v / size for v in turned])
    exact = singular + draw.between(0.1, 1) * smooth
    u = sp.Function("u")(x, y)
    medium = 1 + sp.sin(turned[0] / size + draw.phase()) / 2
    c = draw.one_of((0, draw.between(-20, 20) / size**2))
    domain = _wedge(opening, size, angle, middle)

    def operator(v: sp.Expr) -> sp.Expr:
        return -laplacian(v, (x, y)) + c * medium * v

    source = operator(exact - singular) + c * medium * singular  # the singular part is harmonic
    conditions: list[Any] = [fs.Dirichlet(exact, on="rest")]
    if changes:
        side = angle + opening / 2
        normal = -math.sin(side), math.cos(side)
        slope = sum(n * (exact - singular).diff(v) for n, v in zip(normal, (x, y), strict=True))
        conditions = [fs.Neumann(slope, on="upper"), *conditions]
    sides = "mixed" if changes else "dirichlet"
    told = f"corner of {opening / math.pi:.3g} pi, exponent {exponent:.3f} (2d), {sides}; {told}"
    return Stated(told, (equation(operator(u), source),), domain, tuple(conditions), (u,), (exact,), least=1e-8)


def _wedge(opening: float, size: float, angle: float, middle: list[float]) -> Domain:
    """A polygon about a corner, whose sides there are ``"lower"`` and ``"upper"``."""
    turns = np.linspace(-opening / 2, opening / 2, 5) + angle
    far = size * np.array([1, 1.2, 1, 1.2, 1])[:, None] * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    corners = [middle, *(far + middle).tolist()]
    return fs.Polygon(corners, names=["lower", "first", "second", "third", "fourth", "upper"])
