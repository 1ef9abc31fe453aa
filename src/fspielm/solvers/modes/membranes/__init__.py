"""Modes of membranes, high ones too: by functions that satisfy the equation alone, without cells."""

from fspielm.solvers.modes.membranes.count import ModeCount, count_modes
from fspielm.solvers.modes.membranes.direct import direct_modes
from fspielm.solvers.modes.membranes.membrane import Membrane, membrane_of

__all__ = ["Membrane", "ModeCount", "count_modes", "direct_modes", "membrane_of"]
