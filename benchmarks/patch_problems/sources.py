"""Narrow sources: a hundredth and a thousandth of the domain, in a box and in a polygon like a car's cabin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy.special import exp1

import fspielm as fs
from patch_problems.elements import Elements, box, disk, polygon
from patch_problems.example import PatchProblem, patch_problem, steady, x, y

_PLACE = (0.43, 0.56)
# Floor, boot, rear window, roof, windscreen, bonnet, firewall, footwell; metres.
CABIN = [(0.5, 0.0), (2.5, 0.0), (3.0, 0.4), (2.7, 0.9), (2.0, 1.4), (1.0, 1.4), (0.3, 0.8), (0.0, 0.4)]
WALLS = ["floor", "boot", "tailgate", "rear window", "roof", "windscreen", "bonnet", "firewall"]


def _potential(width: float, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """``Ein(r^2 / width^2)``: far away a logarithm, close by a power series."""
    z = np.sum((points - _PLACE) ** 2, axis=1) / width**2
    near = sum((-1) ** (n + 1) * np.minimum(z, 1.0) ** n / (n * math.factorial(n)) for n in range(1, 20))
    far = np.maximum(z, 1.0)
    return np.where(z < 1, near, exp1(far) + np.log(far) + np.euler_gamma)


def _gaussian(width: float) -> PatchProblem:
    """The potential of a Gaussian: smooth and wide but for its tip."""
    square = ((x - _PLACE[0]) ** 2 + (y - _PLACE[1]) ** 2) / width**2
    source = -4 / width**2 * sp.exp(-square)
    at_walls = sp.log(square) + float(np.euler_gamma)  # what is left out is less than exp(-1000)
    stated = steady(fs.Box((0, 0), (1, 1)), None, f=source, conditions=[fs.Dirichlet(at_walls)])

    def values(points: NDArray[np.float64]) -> NDArray[Any]:
        return _potential(width, points)

    def shape(occ: Any) -> Any:
        """Elements crowd at the source."""
        disks = [disk(occ, _PLACE, radius) for radius in (0.2, 8 * width)]
        disks[0].faces.maxh, disks[1].faces.maxh = 0.1, 3 * width
        return occ.Glue([box((0, 0), (1, 1))(occ) - disks[0], disks[0] - disks[1], disks[1]])

    elements = Elements(shape, 0.3, f=source, value=at_walls, held="x-|x+|y-|y+")
    return PatchProblem(stated, 1e-8, values=values, elements=elements)


@patch_problem("gaussian, 1/100", "Poisson with a Gaussian source of a hundredth of the box")
def hundredth() -> PatchProblem:
    """A hundredth."""
    return _gaussian(0.01)


@patch_problem("gaussian, 1/1000", "the same, a thousandth")
def thousandth() -> PatchProblem:
    """A thousandth."""
    return _gaussian(0.001)


@patch_problem("gaussian in a cabin", "sound of 500 Hz from a source of 3 cm in a cabin with an absorbing roof")
def cabin() -> PatchProblem:
    """Rigid walls but for the roof."""
    k = 2 * math.pi * 500 / 343
    center, width = (1.1, 0.7), 0.03
    source = sp.exp(-((x - center[0]) ** 2 + (y - center[1]) ** 2) / width**2) / width**2
    conditions = [fs.Robin(-0.4 * sp.I * k, 1, 0, on="roof"), fs.Neumann(0, on="rest")]
    stated = steady(fs.Polygon(CABIN, names=WALLS), None, c=k**2, f=source, conditions=conditions)

    def shape(occ: Any) -> Any:
        near = disk(occ, center, 8 * width)
        near.faces.maxh = 2 * width
        return occ.Glue([polygon(CABIN, WALLS, sharp=range(len(CABIN)))(occ) - near, near])

    elements = Elements(
        shape, 0.3, c=k**2, f=source, held="", open={"roof": (-0.4 * sp.I * k, 0)}, complex=True, levels=10
    )
    return PatchProblem(stated, 1e-8, 4.4, elements=elements)
