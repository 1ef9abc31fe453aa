"""High modes of membranes: by functions that satisfy the equation alone, without cells."""

from fspielm.solvers.modes.high.count import ModeCount, count_modes
from fspielm.solvers.modes.high.direct import high_modes, is_high
from fspielm.solvers.modes.high.membrane import Membrane, membrane_of

__all__ = ["Membrane", "ModeCount", "count_modes", "high_modes", "is_high", "membrane_of"]
