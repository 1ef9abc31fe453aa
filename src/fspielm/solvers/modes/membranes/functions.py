"""Functions that satisfy the equation of a membrane at an energy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.features import Basis, Characteristic, JoinedBasis, SourceBasis
from fspielm.features.activations import COSINE
from fspielm.features.characteristic import directions_needed, problem_symbol, scene_of
from fspielm.features.characteristic.family import realise
from fspielm.features.characteristic.steady import Space, steady_frequencies
from fspielm.features.ridge import RidgeBasis
from fspielm.features.singular import SingularBasis
from fspielm.features.special import multipoles
from fspielm.features.special.joints import joint_sources
from fspielm.solvers.modes.membranes.membrane import Membrane


@final
@dataclass(frozen=True)
class Choice:
    """Which functions.

    Attributes
    ----------
    sources : int
        On either side of each joint.
    waves : float
        In units of those that are needed.
    degree : float
        The highest exponent of functions of corners.
    exponentials : int
        Functions that oscillate along a line and fall off from it, within less than a wavelength.
    """

    sources: int = 0
    waves: float = 1.0
    degree: float = 10.0
    exponentials: int = 0


@final
@dataclass(frozen=True, eq=False)
class Functions:
    """Waves, and columns beside them."""

    family: Characteristic
    drawn: Basis
    columns: tuple[Basis, ...]

    @property
    def basis(self) -> Basis:
        """All of them."""
        return JoinedBasis([self.drawn, *self.columns]) if self.columns else self.drawn

    def silence(self, membrane: Membrane, curve: NDArray[np.intp], traces: FloatArray) -> None:
        """Make traces zero, in place, of functions that suit both sides of a corner there: what they are is rounding.

        `curve` has the number of the curve for each row.
        """
        first = self.drawn.size
        for wedge, own in zip(membrane.wedges, self.columns, strict=False):
            if wedge.turn is not None:
                traces[np.isin(curve, wedge.sides), first : first + own.size] = 0.0
            first += own.size

    @property
    def special(self) -> int:
        """How many belong to corners and holes."""
        return sum(each.size for each in self.columns if isinstance(each, SingularBasis))

    @property
    def closest(self) -> float:
        """How close sources are to the boundary; infinite without any."""
        clear = [c.clearances.min() for c in self.columns if isinstance(c, SourceBasis)]
        return float(min(clear, default=np.inf))


def functions_at(membrane: Membrane, energy: float, choice: Choice) -> Functions:
    """Plane waves in directions of equal angles, functions of corners and holes, and sources toward joints."""
    k = math.sqrt(energy)
    count = math.ceil(0.5 * choice.waves * directions_needed(k * membrane.radius, 2))
    angles = np.pi * (np.arange(count) + 0.5) / count
    W = np.tile(k * np.column_stack([np.cos(angles), np.sin(angles)]), (2, 1))
    waves = RidgeBasis(W, np.repeat([0.0, -0.5 * np.pi], count), COSINE, origin=membrane.center)
    wedges = (wedge.functions(k, choice.degree) for wedge in membrane.wedges)
    holes = (SingularBasis(hole.center, 0.0, hole.radius, multipoles(hole, energy)) for hole in membrane.holes)
    sources = joint_sources(membrane.joints, choice.sources, energy, membrane.domain)
    drawn = JoinedBasis([waves, _exponentials(membrane, energy, choice)]) if choice.exponentials else waves
    return Functions(Characteristic(drawn.size), drawn, (*wedges, *holes, *(() if sources is None else (sources,))))


def _exponentials(membrane: Membrane, energy: float, choice: Choice) -> Basis:
    scene, rng = scene_of(membrane.domain), np.random.default_rng(0)  # the same at every energy
    space = Space((0, 1), np.zeros(2), membrane.radius)
    symbol = problem_symbol(membrane.pencil.at(membrane.value(energy)))
    return realise(steady_frequencies(symbol, space, choice.exponentials, rng, waves=False), scene, rng)
