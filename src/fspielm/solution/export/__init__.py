"""Solutions for other programs: arrays, xarray, netCDF, VTK, tables; methods of `Solution`."""

from fspielm.solution.export.arrays import to_csv, to_npz, to_numpy
from fspielm.solution.export.dataset import check_xarray, to_netcdf, to_xarray
from fspielm.solution.export.far_field import far_field_to_csv
from fspielm.solution.export.vtk import VTK_SUFFIXES, check_vtk, to_vtk

__all__ = [
    "VTK_SUFFIXES",
    "check_vtk",
    "check_xarray",
    "far_field_to_csv",
    "to_csv",
    "to_netcdf",
    "to_npz",
    "to_numpy",
    "to_vtk",
    "to_xarray",
]
