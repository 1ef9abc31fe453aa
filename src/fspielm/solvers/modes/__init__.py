"""Modes: values of a symbol at which a problem without data has solutions."""

from fspielm.solvers.modes.eigenmodes import eigenmodes
from fspielm.solvers.modes.modes import Mode, Modes

__all__ = ["Mode", "Modes", "eigenmodes"]
