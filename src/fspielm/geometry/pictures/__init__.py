"""Pictures of domains; they need matplotlib (``pip install "fspielm[plot]"``), imported when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fspielm.geometry.pictures.plot import plot_domain
from fspielm.geometry.pictures.style import has_matplotlib, require_matplotlib

if TYPE_CHECKING:
    # for those who may not import matplotlib, but return its axes
    from matplotlib.axes import Axes as Axes

__all__ = ["has_matplotlib", "plot_domain", "require_matplotlib"]
