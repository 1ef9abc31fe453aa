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


GAUSSIAN = Profile("Gaussian", lambda s, w: sp.exp(-((s / w) ** 2)))
POLE = Profile("pole", lambda s, w: w**2 / (s**2 + w**2))
# not 1 - tanh^2, whose rounding far away would be times the height; its derivatives are infinity over infinity there
SECH2 = Profile("sech2", lambda s, w: 1 / sp.cosh(s / w) ** 2)
JUMP = Profile("jump", _box, jumps=(-1.0, 1.0))
LAYER = Profile("layer", lambda s, w: (1 + sp.tanh(s / w)) / 2, bump=False)
KINK = Profile("kink", lambda s, w: sp.sqrt(s**2 + w**2), bump=False)
BUMPS = (GAUSSIAN, POLE, SECH2, JUMP)
# What can be differentiated wherever it is.
SMOOTH_BUMPS = (GAUSSIAN, POLE)
TRANSITIONS = (LAYER, KINK)
