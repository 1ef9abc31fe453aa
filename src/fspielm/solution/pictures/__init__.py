"""Pictures of a solution: what it looks like, and where it is wrong.

They need matplotlib (``pip install "fspielm[plot]"``), which is imported when a picture is asked for.
"""

from fspielm.solution.pictures.plot import plot_solution
from fspielm.solution.pictures.save import check_picture_path, require_matplotlib, save_picture

__all__ = ["check_picture_path", "plot_solution", "require_matplotlib", "save_picture"]
