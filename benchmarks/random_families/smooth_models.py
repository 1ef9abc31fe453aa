"""Operators of the families "calibration" and "test", with coefficients in the units of the domain."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp

from random_families.draw import Draw, dot

Operator: TypeAlias = Callable[[sp.Expr], sp.Expr]


@dataclass(frozen=True, eq=False)
class Model:
    """An operator, and how to draw a solution that needs no source, where one is at hand."""

    name: str
    operator: Operator
    sourceless: Callable[[], sp.Expr] | None
    time_order: int = 0


def elliptic(draw: Draw, x: Sequence[sp.Symbol], s: Sequence[sp.Expr], half: Sequence[float]) -> Model:
    """A stationary operator on functions of `x`; `s` runs from -1 to 1 and `half` is half of the domain's extent."""
    length = max(half)
    r = [a * b for a, b in zip(s, half, strict=True)]

    def laplacian(v: sp.Expr) -> sp.Expr:
        return sum(v.diff(i, 2) for i in x)

    def diffusion(v: sp.Expr, a: sp.Expr) -> sp.Expr:
        return sum((a * v.diff(i)).diff(i) for i in x)

    def harmonic() -> sp.Expr:
        if len(x) == 1:
            return 1 + draw.between(-1, 1) * s[0]
        along, across = draw.frame()[:2]
        rate = draw.frequency() / 2 / length
        return sp.exp(rate * dot(along, r)) * sp.sin(rate * dot(across, r) + draw.phase())

    smooth = 1 + draw.between(0.1, 0.6) * sp.sin(draw.between(1, 4) * s[0] + draw.between(0.5, 2) * s[-1])
    k = draw.frequency() / length
    c = draw.log_between(0.1, 100) / length**2
    velocity = [draw.between(-8, 8) / length for _ in x]
    kinds: dict[str, tuple[Operator, Callable[[], sp.Expr] | None]] = {
        "poisson": (lambda v: -laplacian(v), harmonic),
        "screened poisson": (
            lambda v: -laplacian(v) + c * v,
            lambda: sp.exp(math.sqrt(c) * dot(draw.frame()[0], r)),
        ),
        "helmholtz": (
            lambda v: laplacian(v) + k**2 * v,
            lambda: sp.sin(k * dot(draw.frame()[0], r) + draw.phase()),
        ),
        "negative helmholtz": (
            lambda v: -laplacian(v) - k**2 * v,
            lambda: sp.sin(k * dot(draw.frame()[0], r) + draw.phase()),
        ),
        "heterogeneous helmholtz": (lambda v: laplacian(v) + k**2 * smooth**2 * v, None),
        "variable diffusion": (lambda v: -diffusion(v, smooth) + c * v, None),
        "advection-diffusion": (
            lambda v: -laplacian(v) + sum(b * v.diff(i) for b, i in zip(velocity, x, strict=True)),
            lambda: draw.between(-1, 1) + sp.exp(dot(velocity, r)),
        ),
        "rotating advection": (
            lambda v: -laplacian(v) + velocity[0] * (s[-1] * v.diff(x[0]) - s[0] * v.diff(x[-1])),
            None,
        ),
    }
    if len(x) == 1:
        kinds["fourth order"] = (lambda v: v.diff(x[0], 4) + c / length**2 * v, None)
        del kinds["rotating advection"]
    name = draw.one_of(list(kinds))
    return Model(name, *kinds[name])


def evolution(draw: Draw, x: Sequence[sp.Symbol], s: Sequence[sp.Expr], half: Sequence[float]) -> Model:
    """An operator in space and time."""
    *space, t = x
    length, duration = max(half[:-1]), half[-1]
    r = [a * b for a, b in zip(s, half, strict=True)]
    speed = draw.between(0.4, 2) * length / duration
    alpha = draw.log_between(0.02, 1) * length**2 / duration
    drift = draw.between(-2, 2) * length / duration
    smooth = 1 + draw.between(0.1, 0.5) * sp.cos(draw.between(1, 3) * s[0])
    mass = draw.between(0.5, 6) / duration
    k = draw.frequency() / length

    def laplacian(v: sp.Expr) -> sp.Expr:
        return sum(v.diff(i, 2) for i in space)

    def travelling() -> sp.Expr:
        phase = dot(draw.frame(len(space))[0], r[:-1]) - speed * r[-1]
        return sp.sin(k * phase) + sp.exp(-((phase / length / draw.between(1, 3) / draw.least_radius()) ** 2))

    def massive() -> sp.Expr:
        return sp.sin(k * dot(draw.frame(len(space))[0], r[:-1]) - math.hypot(speed * k, mass) * r[-1] + draw.phase())

    def decaying(drift: float) -> sp.Expr:
        along = draw.frame(len(space))[0]
        return sp.exp(-alpha * k**2 * r[-1]) * sp.sin(k * (dot(along, r[:-1]) - drift * along[0] * r[-1]))

    kinds: dict[str, tuple[int, Operator, Callable[[], sp.Expr] | None]] = {
        "wave": (2, lambda v: v.diff(t, 2) - speed**2 * laplacian(v), travelling),
        "heterogeneous wave": (2, lambda v: v.diff(t, 2) - speed**2 * smooth * laplacian(v), None),
        "damped wave": (2, lambda v: v.diff(t, 2) + v.diff(t) / duration - speed**2 * laplacian(v), None),
        "klein-gordon": (2, lambda v: v.diff(t, 2) - speed**2 * laplacian(v) + mass**2 * v, massive),
        "heat": (1, lambda v: v.diff(t) - alpha * laplacian(v), lambda: decaying(0.0)),
        "advection-diffusion in time": (
            1,
            lambda v: v.diff(t) + drift * v.diff(space[0]) - alpha * laplacian(v),
            lambda: decaying(drift),
        ),
        "reaction-diffusion": (1, lambda v: v.diff(t) - alpha * smooth * laplacian(v) + v / duration, None),
    }
    name = draw.one_of(list(kinds))
    order, operator, sourceless = kinds[name]
    return Model(name, operator, sourceless, order)
