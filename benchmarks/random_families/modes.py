"""The family "modes": strings, wells, beams and membranes whose values are known from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import fspielm as fs
from random_families.asked_modes import SECONDS, AskedModes, beside_values
from random_families.draw import Draw
from random_families.modes_line import draw_line
from random_families.modes_plane import draw_plane
from random_families.modes_stated import Spectrum

_NUMBER = 8
_IN_PLANE = 0.28
# Of functions where there should be more, in one dimension and in two.
_FEW = {1: (8, 60), 2: (40, 400)}


@dataclass(frozen=True, eq=False)
class RandomModes:
    """Modes that are asked for, and how much the solver may spend; see `RandomProblem`."""

    seed: int
    family: str
    description: str
    asked: AskedModes
    ample: bool

    @property
    def problem(self) -> fs.Problem:
        """The one that modes are of."""
        return self.asked.problem

    @property
    def tol(self) -> float:
        """Of their values, relative."""
        return self.asked.tol


def make_modes(seed: int) -> RandomModes:
    """The problem of a seed."""
    draw = Draw(np.random.default_rng([_NUMBER, seed]))
    plane = draw.chance(_IN_PLANE)
    spectrum = draw_plane(draw) if plane else draw_line(draw)
    tol, budget, ample = _draw_goal(draw, spectrum, 2 if plane else 1)
    wish, told = _draw_wish(draw, spectrum)
    known = spectrum.known
    asked = AskedModes(spectrum.problem(), known, spectrum.unit, tol, wish, budget, spectrum.sign)
    return RandomModes(seed, "modes", f"{spectrum.name}; {told}", asked, ample)


def _draw_goal(draw: Draw, spectrum: Spectrum, dimension: int) -> tuple[float, fs.Budget, bool]:
    """Tolerance, budget, and whether the two are ample: a third of the time one of them is too small."""
    tol, budget = draw.log_between(spectrum.least, 1e-4), fs.Budget(seconds=SECONDS)
    ample = not draw.chance(1 / 3)
    if not ample and draw.chance(0.75):
        budget = replace(budget, neurons=round(draw.log_between(*_FEW[dimension])))
    elif not ample:
        tol = draw.log_between(1e-15, 1e-13)
    return tol, budget, ample


def _draw_wish(draw: Draw, spectrum: Spectrum) -> tuple[dict[str, Any], str]:
    """So many of the first, or all in an interval whose ends are well apart from values."""
    last = spectrum.wanted
    if spectrum.real and draw.chance(0.3):
        gaps = np.diff(spectrum.known.values[: last + 1])
        # values that are one are not to be cut apart
        cuts = [place + 1 for place in range(last) if gaps[place] > 0.02 * spectrum.unit]
        if cuts:
            upper = beside_values(spectrum.known, draw.one_of(cuts), draw.between(0.3, 0.7))
            below = spectrum.known.values[0] - draw.between(0.5, 2) * spectrum.unit
            begins = [c for c in cuts if spectrum.known.values[c] < upper]
            if begins and draw.chance(0.5):
                below = beside_values(spectrum.known, draw.one_of(begins), draw.between(0.3, 0.7))
            if below < upper:
                ends = sorted((spectrum.sign * below, spectrum.sign * upper))
                return {"within": (float(ends[0]), float(ends[1]))}, f"within ({ends[0]:.6g}, {ends[1]:.6g})"
    count = int(draw.rng.integers(1, last + 1))
    return {"count": count}, f"the first {count}"
