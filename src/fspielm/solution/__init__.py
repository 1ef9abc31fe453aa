"""The answer: evaluate it, look at it, read how it came about."""

from fspielm.solution.fields import Derived
from fspielm.solution.grid import Grid
from fspielm.solution.measure import grid_inside, regular_grid, relative_error
from fspielm.solution.report import BandReport, FieldReport, Report, field_reports
from fspielm.solution.rounds import Forecast, NewtonStep, Round
from fspielm.solution.solution import Solution

__all__ = [
    "BandReport",
    "Derived",
    "FieldReport",
    "Forecast",
    "Grid",
    "NewtonStep",
    "Report",
    "Round",
    "Solution",
    "field_reports",
    "grid_inside",
    "regular_grid",
    "relative_error",
]
