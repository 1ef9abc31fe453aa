"""The panda's head of the paper's last benchmark, whose outline the paper does not give."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import SupportsFloat

import sympy as sp

from fspielm.geometry.boundary import as_name, as_positive
from fspielm.geometry.shapes.polar import PolarCurve

# Bumps on the unit circle, as (height, angle from the crown, sharpness); each has a mirror image on the left: the
# forehead, which coincides with its mirror image, three that make an ear that is round, not pointed, and the cheek.
_BUMPS = ((0.13, 0.0, 3), (0.39, 0.61, 140), (0.41, 0.75, 140), (0.39, 0.89, 140), (0.42, 1.77, 3))


def Panda(  # noqa: N802 (reads as a shape beside Disk and Pacman)
    radius: SupportsFloat = 0.25, center: Iterable[SupportsFloat] = (0.5, 0.5), *, name: str = ""
) -> PolarCurve:
    """Build a panda's head: a round face with two ears at the upper left and right, and wide cheeks.

    Parameters
    ----------
    radius : number
        The mean of r(theta) over all angles. The head is about 2.1 times as wide and 1.9 times as high, and
        2.35 times as long from an ear to the opposite cheek.
    center : (number, number)
    name : str
        Put before the name of the part: ``"hole.outline"``.
    """
    theta = sp.Symbol("theta", real=True)
    shape, mean = sp.Integer(1), 1.0
    for height, aside, sharpness in _BUMPS:
        for place in (math.pi / 2 - aside, math.pi / 2 + aside):
            # exp(k (cos(theta - place) - 1)), in a form without cancellation
            shape += height * sp.exp(-2 * sharpness * sp.sin((theta - place) / 2) ** 2)
            # its mean over a turn is exp(-k) times the Bessel function I_0(k)
            mean += height * float(sp.exp(-sharpness) * sp.besseli(0, sharpness))
    return PolarCurve(as_positive(radius, "Panda: radius") / mean * shape, center, name=as_name(name, "Panda: name"))
