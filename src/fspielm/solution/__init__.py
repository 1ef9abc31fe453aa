"""The answer: evaluate it, look at it, read how it came about."""

from typing import TYPE_CHECKING

from fspielm.solution.report import BandReport, FieldReport, Report, field_reports
from fspielm.solution.rounds import Forecast, FoundMode, ModeSearch, NewtonStep, Round, Window
from fspielm.solution.solution import Solution

from fspielm.solution.fields import Derived
from fspielm.solution.grid import Grid
from fspielm.solution.measure import grid_inside, regular_grid, relative_error
__all__ = [
    "BandReport",
    "Derived",
    "FieldReport",
    "Forecast",
    "FoundMode",
    "Grid",
    "ModeSearch",
    "NewtonStep",
    "Report",
    "Round",
    "Solution",
    "Window",
    "field_reports",
    "grid_inside",
    "regular_grid",
    "relative_error",
]
