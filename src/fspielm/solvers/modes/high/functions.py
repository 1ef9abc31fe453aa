"""Functions that satisfy the equation of a membrane at an energy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.features import Basis, Characteristic, JoinedBasis, SourceBasis
from fspielm.features.activations import COSINE
from fspielm.features.characteristic import directions_needed
from fspielm.features.ridge import RidgeBasis
from fspielm.features.special import satisfies, special_columns
from fspielm.features.special.joints import joint_sources
from fspielm.solvers.modes.high.membrane import Membrane


@final
@dataclass(frozen=True)
class Choice:
    """Which functions: sources on either side of each joint, and waves in units of those that are needed."""

    sources: int = 0
    waves: float = 1.0


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

    @property
    def closest(self) -> float:
        """How close sources are to the boundary; infinite without any."""
        clear = [c.clearances.min() for c in self.columns if isinstance(c, SourceBasis)]
        return float(min(clear, default=np.inf))


def functions_at(membrane: Membrane, energy: float, choice: Choice) -> Functions:
    """Plane waves in directions of equal angles, functions of corners, and sources toward joints."""
    k = math.sqrt(energy)
    count = math.ceil(0.5 * choice.waves * directions_needed(k * membrane.radius, 2))
    angles = np.pi * (np.arange(count) + 0.5) / count
    W = np.tile(k * np.column_stack([np.cos(angles), np.sin(angles)]), (2, 1))
    waves = RidgeBasis(W, np.repeat([0.0, -0.5 * np.pi], count), COSINE, origin=membrane.center)
    sources = joint_sources(membrane.joints, choice.sources, energy, membrane.domain)
    columns = (*_special(membrane, energy), *(() if sources is None else (sources,)))
    return Functions(Characteristic(2 * count), waves, columns)


def _special(membrane: Membrane, energy: float) -> list[Basis]:
    if not membrane.corners:
        return []  # to read the problem takes longer than all else
    problem = membrane.pencil.at(membrane.value(energy))
    smooth = {corner.point for corner in problem.domain.corners()} - set(membrane.corners)
    every = [own for own in special_columns(problem, True) if smooth.isdisjoint(own.corners)]
    return [own for own in every if satisfies(problem, own)]
