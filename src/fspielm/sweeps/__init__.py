"""Sweeps: quantities of solutions over the numbers of a problem, kept row by row."""

from fspielm.sweeps.picture import plot_sweep
from fspielm.sweeps.sweep import sweep

__all__ = ["plot_sweep", "sweep"]
