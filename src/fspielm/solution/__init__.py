"""The answer: evaluate it, look at it, read how it came about."""

from fspielm.solution.estimate import ILL_POSED, PROBES, ErrorEstimate, Sensitivity, estimate_error, find_sensitivity
from fspielm.solution.fields import Derived
from fspielm.solution.grid import Grid
from fspielm.solution.held_out import HeldOut
from fspielm.solution.measure import grid_inside, regular_grid, relative_error
from fspielm.solution.report import BandReport, Forecast, Report, Round
from fspielm.solution.solution import Solution

__all__ = [
    "ILL_POSED",
    "PROBES",
    "BandReport",
    "Derived",
    "ErrorEstimate",
    "Forecast",
    "Grid",
    "HeldOut",
    "Report",
    "Round",
    "Sensitivity",
    "Solution",
    "estimate_error",
    "find_sensitivity",
    "grid_inside",
    "regular_grid",
    "relative_error",
]
