"""Narrow profiles across a point, a line or a ring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp


@dataclass(frozen=True)
class Profile:
    """A profile of height one, or a transition.

    Attributes
    ----------
    name : str
    of : callable
        The expression of a distance and a width.
    bump : bool
        Whether it vanishes away from its centre; its twin has none then, and a wide transition otherwise.
    jumps : tuple of float
        Where it jumps, in widths.
    """

    name: str
    of: Callable[[sp.Expr, float], sp.Expr]
    bump: bool = True
    jumps: tuple[float, ...] = ()


def _box(s: sp.Expr, w: float) -> sp.Expr:
    return sp.Piecewise((1, s**2 < w**2), (0, True))


BUMPS = (
    Profile("Gaussian", lambda s, w: sp.exp(-((s / w) ** 2))),
    Profile("sech2", lambda s, w: sp.sech(s / w) ** 2),
    Profile("pole", lambda s, w: w**2 / (s**2 + w**2)),
    Profile("jump", _box, jumps=(-1.0, 1.0)),
)
SMOOTH_BUMPS = BUMPS[:3]
TRANSITIONS = (
    Profile("layer", lambda s, w: (1 + sp.tanh(s / w)) / 2, bump=False),
    Profile("kink", lambda s, w: sp.sqrt(s**2 + w**2), bump=False),
)
