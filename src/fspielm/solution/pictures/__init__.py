"""Pictures of a solution: what it looks like, where it is wrong, and which frequencies it has.

They need matplotlib (``pip install "fspielm[plot]"``), which is imported when a picture is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fspielm.geometry.pictures import require_matplotlib
from fspielm.solution.pictures.card import solution_card
from fspielm.solution.pictures.comparison import plot_comparison
from fspielm.solution.pictures.convergence import plot_convergence
from fspielm.solution.pictures.error import plot_error
from fspielm.solution.pictures.far_field import plot_far_field
from fspielm.solution.pictures.isosurface import plot_isosurface
from fspielm.solution.pictures.modes import plot_modes
from fspielm.solution.pictures.plot import plot
from fspielm.solution.pictures.residual import plot_residual
from fspielm.solution.pictures.save import check_picture_path, save_picture
from fspielm.solution.pictures.spectrum import plot_spectrum

if TYPE_CHECKING:
    # for those who may not import matplotlib, but return its figures
    from matplotlib.figure import Figure as Figure

__all__ = [
    "check_picture_path",
    "plot",
    "plot_comparison",
    "plot_convergence",
    "plot_error",
    "plot_far_field",
    "plot_isosurface",
    "plot_modes",
    "plot_residual",
    "plot_spectrum",
    "require_matplotlib",
    "save_picture",
    "solution_card",
]
