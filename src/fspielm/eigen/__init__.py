"""Eigenvalues: modes and resonances."""

from fspielm.eigen.eigenmodes import eigenmodes
from fspielm.eigen.membranes.membrane import Membrane, membrane_of
from fspielm.eigen.membranes.search import ModeCount, count_modes
from fspielm.eigen.modes import Mode, Modes

__all__ = ["Membrane", "Mode", "ModeCount", "Modes", "count_modes", "eigenmodes", "membrane_of"]
