"""Materials that jump at lines and circles; values and fluxes continue, and sources make up for the rest.

Around is a smooth function g. In a material whose border is where ``phi`` is zero, with a gradient of length one there,
``g + phi (a0 - a) / a grad phi . grad g + phi^2 q`` has the same values at the border, and the same flux.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from random_families.draw import Draw, dot
from random_families.patch_media import draw_variable_medium
from random_families.places import Place
from random_families.smooth_solutions import SOLUTIONS
from random_families.stated import Stated, draw_setting, equation, initial, unknown
from random_families.system import Setting, gradient, inner

_TRIALS = 200
# Between two borders, in halves of the domain's extent.
_CLEAR = 0.05


@dataclass(frozen=True, eq=False)
class Part:
    """One material: where it is (`phi` below zero), and what it multiplies gradient and value with."""

    phi: sp.Expr
    a: sp.Expr
    c: sp.Expr


def draw_materials(draw: Draw) -> Stated:
    """Diffusion, waves of one frequency, heat or waves in time through materials that jump."""
    kind = draw.one_of(("1d", "2d", "2d", "2d", "1d+t"))
    draw.slower = 1.0
    place, setting = draw_setting(draw, kind)
    g, told = _around(draw, setting)
    borders, shape = _borders(draw, place, setting)
    # a jump of lower coefficients alone leaves slopes as they are
    jumps = not draw.chance(0.25)
    around = Part(sp.Integer(0), _medium(draw, setting) if jumps else sp.Integer(1), _reaction(draw, setting))
    parts = [
        Part(phi, around.a if not jumps else draw_contrast(draw) * _medium(draw, setting), _reaction(draw, setting))
        for phi in borders
    ]
    fields = [_within(draw, setting, g, around, part) for part in parts]
    name, order, rate = _time(draw, setting)

    def operator(v: sp.Expr, a: Any, c: Any) -> sp.Expr:
        """Unevaluated where the medium jumps, so that the flux is still to be seen."""
        flow = sum(sp.Derivative(a * v.diff(i), i) for i in setting.space) if jumps else _laplacian(v, setting)
        return flow + c * v - (rate * v.diff(setting.x[-1], order) if order else 0)

    def joined(values: Sequence[sp.Expr], outside: sp.Expr) -> sp.Expr:
        pieces = [(value, part.phi < 0) for value, part in zip(values, parts, strict=True)]
        return sp.Piecewise(*pieces, (outside, True))

    a, c = joined([part.a for part in parts], around.a), joined([part.c for part in parts], around.c)
    sources = [operator(v, p.a, p.c).doit() for v, p in zip([*fields, g], [*parts, around], strict=True)]
    exact, source = joined(fields, g), joined(sources[:-1], sources[-1])
    u = unknown(setting)
    conditions = (fs.Dirichlet(exact), *initial(setting, exact, order))
    told = f"{name} through {shape} on {place.name} ({kind}){'' if jumps else ', slopes continue'}; {told}"
    stated = (equation(operator(u, a, c), source),)
    return Stated(told, stated, setting.domain, conditions, (u,), (exact,), tuple(borders), a, least=1e-9)


def _around(draw: Draw, setting: Setting) -> tuple[sp.Expr, str]:
    """One smooth function: sources are made of its derivatives, once for each material."""
    maker = draw.one_of((*SOLUTIONS["test"], *SOLUTIONS["calibration"]))
    return maker(draw, setting.s), maker.__name__.strip("_").replace("_", " ")


def draw_contrast(draw: Draw) -> float:
    """How much more a material conducts than what is around it."""
    return draw.log_between(2, 1000) if draw.chance(0.7) else draw.log_between(0.05, 0.5)


def _laplacian(v: sp.Expr, setting: Setting) -> sp.Expr:
    return sum(v.diff(i, 2) for i in setting.space)


def _medium(draw: Draw, setting: Setting) -> sp.Expr:
    return sp.Integer(1) if draw.chance(0.6) else draw_variable_medium(draw, setting)


def _reaction(draw: Draw, setting: Setting) -> sp.Expr:
    return sp.Float(draw.between(-30, 30) / setting.length**2) if draw.chance(0.5) else sp.Integer(0)


def _time(draw: Draw, setting: Setting) -> tuple[str, int, float]:
    """A name, the order in time, and what its derivative is multiplied with."""
    if setting.domain.time is None:
        return "diffusion", 0, 0.0
    length, duration = setting.half
    if draw.chance(0.5):
        return "heat", 1, draw.log_between(1, 30) * duration / length**2
    return "wave", 2, (draw.log_between(0.5, 2) * duration / length) ** 2


def _within(draw: Draw, setting: Setting, g: sp.Expr, around: Part, part: Part) -> sp.Expr:
    """The solution in one material."""
    x, phi = setting.space, part.phi
    slope = inner(gradient(phi, x), gradient(g, x))
    more = draw.between(-1, 1) / setting.length**2 * sp.cos(draw.between(1, 4) * setting.s[-1] + draw.phase())
    return g + phi * (around.a - part.a) / part.a * slope + phi**2 * more


def _borders(draw: Draw, place: Place, setting: Setting) -> tuple[list[sp.Expr], str]:
    """Where materials end, each negative within its own."""
    r, length = setting.r[: len(setting.space)], setting.length
    if len(r) == 1:
        number = draw.one_of((1, 2))
        ends = [r[0] + draw.between(0.15, 0.6) * length, draw.between(0.15, 0.6) * length - r[0]]
        return ends[:number], f"{number} points"
    shape = draw.one_of(("a line", "a strip", "a circle", "circles", "circles"))
    if shape in ("a line", "a strip"):
        angle = draw.phase() if draw.chance(0.6) else 0.0
        across = dot((float(np.cos(angle)), float(np.sin(angle))), r)
        cuts = [across + draw.between(0.05, 0.3) * length, draw.between(0.05, 0.3) * length - across]
        return cuts[: 1 if shape == "a line" else 2], f"{shape} at {angle:.2f}"
    circles = _circles(draw, place, setting, 1 if shape == "a circle" else draw.one_of((2, 3, 4)))
    return [(inner(_less(r, c), _less(r, c)) - R**2) / (2 * R) for c, R in circles], f"{len(circles)} circles"


def _less(r: Sequence[sp.Expr], center: Sequence[float]) -> list[sp.Expr]:
    return [a - b for a, b in zip(r, center, strict=True)]


def _circles(draw: Draw, place: Place, setting: Setting, number: int) -> list[tuple[tuple[float, float], float]]:
    """Circles that neither touch each other nor the boundary."""
    rng = np.random.default_rng(0)
    outline = np.concatenate([part.sample(400, rng).points for part in place.space.boundary()]) - place.middle
    found: list[tuple[tuple[float, float], float]] = []
    for _ in range(_TRIALS):
        center = tuple(draw.between(-1, 1) * h for h in setting.half[:2])
        if not place.space.contains(np.add(center, place.middle)[None])[0]:
            continue
        room = [float(np.linalg.norm(outline - center, axis=1).min())]
        room += [float(np.hypot(*np.subtract(center, c))) - R for c, R in found]
        radius = min(min(room) - _CLEAR * setting.length, draw.between(0.1, 0.5) * setting.length)
        if radius > _CLEAR * setting.length:
            found.append((center, float(f"{radius:.3g}")))
        if len(found) == number:
            break
    return found
