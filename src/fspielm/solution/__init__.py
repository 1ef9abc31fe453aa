"""Solutions: evaluation, calculus, pictures, exports and reports."""

from fspielm.solution.evaluation import relative_error
from fspielm.solution.export.arrays import far_field_to_csv, to_csv, to_netcdf, to_npz, to_numpy, to_xarray
from fspielm.solution.export.vtk import to_vtk
from fspielm.solution.fields import Derived, Grid
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
)
from fspielm.solution.solution import Solution

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
    "check_picture_path",
    "far_field_to_csv",
    "plot_comparison",
    "plot_convergence",
    "plot_error",
    "plot_far_field",
    "plot_isosurface",
    "plot_modes",
    "plot_residual",
    "plot_spectrum",
    "relative_error",
    "save_picture",
    "to_csv",
    "to_netcdf",
    "to_npz",
    "to_numpy",
    "to_vtk",
    "to_xarray",
]
