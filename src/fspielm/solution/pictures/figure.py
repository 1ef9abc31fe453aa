"""The figure that every picture is: a matplotlib Figure without pyplot, which shows itself in a notebook.

Imports matplotlib, so that it is itself imported where something is drawn and not before.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from io import BytesIO
from typing import Any, final

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from fspielm.solution.pictures.style import style

_PASSES = 3


@final
class _Layout(ConstrainedLayoutEngine):
    """Constrained layout until it settles: with panels of a fixed shape, once is not enough."""

    def execute(self, fig: Figure) -> None:
        """Place the panels."""
        for _ in range(_PASSES):
            super().execute(fig)


@final
class Picture(Figure):
    """A figure of the given size in inches, laid out so that nothing overlaps and nothing is cut."""

    def __init__(self, width: float, height: float) -> None:
        layout = _Layout(w_pad=0.04, h_pad=0.04, wspace=0.03, hspace=0.05)
        super().__init__(figsize=(width, height), layout=layout, facecolor="white")
        FigureCanvasAgg(self)
        # The moving picture as GIF, made when a notebook asks for it.
        self.moving: Callable[[], bytes] | None = None

    def savefig(self, fname: Any, **options: Any) -> None:
        """As of every figure, with text kept as text."""
        with style():
            super().savefig(fname, **options)

    def _repr_png_(self) -> bytes:
        buffer = BytesIO()
        self.savefig(buffer, format="png", dpi=150)
        return buffer.getvalue()

    def _repr_html_(self) -> str | None:  # matplotlib's own is for one backend only
        if self.moving is None:
            return None
        return f'<img alt="animation" src="data:image/gif;base64,{base64.b64encode(self.moving()).decode()}">'
