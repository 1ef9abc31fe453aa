"""The answer: evaluate it, look at it, read how it came about."""

from fspielm.solution.evaluation import grid_inside, regular_grid, relative_error
from fspielm.solution.export.arrays import (
    check_xarray,
    far_field_to_csv,
    to_csv,
    to_netcdf,
    to_npz,
    to_numpy,
    to_xarray,
)
from fspielm.solution.export.vtk import VTK_SUFFIXES, check_vtk, to_vtk
from fspielm.solution.fields import Derived, Grid
from fspielm.solution.plot.card import solution_card
from fspielm.solution.plot.errors import plot_comparison, plot_convergence, plot_error, plot_residual
from fspielm.solution.plot.far_field import plot_far_field
from fspielm.solution.plot.isosurface import plot_isosurface
from fspielm.solution.plot.modes import plot_modes
from fspielm.solution.plot.spectrum import plot_spectrum
from fspielm.solution.plot.style import check_picture_path, save_picture
from fspielm.solution.report import (
    BandReport,
    FieldReport,
    Forecast,
    FoundMode,
    ModeSearch,
    NewtonStep,
    Report,
    Round,
    Window,
    field_reports,
)
from fspielm.solution.solution import Solution

__all__ = [
    "VTK_SUFFIXES",
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
    "check_picture_path",
    "check_vtk",
    "check_xarray",
    "far_field_to_csv",
    "field_reports",
    "grid_inside",
    "plot_comparison",
    "plot_convergence",
    "plot_error",
    "plot_far_field",
    "plot_isosurface",
    "plot_modes",
    "plot_residual",
    "plot_spectrum",
    "regular_grid",
    "relative_error",
    "save_picture",
    "solution_card",
    "to_csv",
    "to_netcdf",
    "to_npz",
    "to_numpy",
    "to_vtk",
    "to_xarray",
]
