"""Solutions: evaluation, calculus, pictures, exports and reports."""

from fspielm.solution.evaluation import relative_error
from fspielm.solution.export.arrays import far_field_to_csv
from fspielm.solution.plot.errors import plot_comparison
from fspielm.solution.plot.modes import plot_modes
from fspielm.solution.plot.style import check_picture_path, save_picture
from fspielm.solution.report import BandReport, Report, Round
from fspielm.solution.solution import Solution

__all__ = [
    "BandReport",
    "Report",
    "Round",
    "Solution",
    "check_picture_path",
    "far_field_to_csv",
    "plot_comparison",
    "plot_modes",
    "relative_error",
    "save_picture",
]
