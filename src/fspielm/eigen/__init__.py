"""Eigenvalues: modes and resonances."""

from fspielm.eigen.eigenmodes import eigenmodes
from fspielm.eigen.membranes.membrane import Membrane, membrane_of
from fspielm.eigen.membranes.search import ModeCount, count_modes, direct_modes
from fspielm.eigen.modes import Mode, Modes
from fspielm.eigen.resonances.find import resonances

__all__ = [
    "Membrane",
    "Mode",
    "ModeCount",
    "Modes",
    "count_modes",
    "direct_modes",
    "eigenmodes",
    "membrane_of",
    "resonances",
]
