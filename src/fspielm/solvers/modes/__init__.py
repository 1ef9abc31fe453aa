"""Modes: values of a symbol at which a problem without data has solutions."""

from fspielm.solvers.modes.eigenmodes import eigenmodes
from fspielm.solvers.modes.membranes import ModeCount, count_modes
from fspielm.solvers.modes.modes import Mode, Modes

__all__ = ["Mode", "ModeCount", "Modes", "count_modes", "eigenmodes"]
