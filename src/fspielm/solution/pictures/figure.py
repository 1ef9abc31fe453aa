"""The figure that every picture is: a matplotlib Figure without pyplot, which shows itself in a notebook."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, final

from fspielm.solution.pictures.style import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PASSES = 3


def new_picture(width: float, height: float) -> Figure:
    """A figure of the given size in inches, laid out so that nothing overlaps and nothing is cut.

    Its attribute `moving`, a callable, makes the moving picture as GIF when a notebook asks for it; None by default.
    """
    return _picture_class()(width, height)


@cache
def _picture_class() -> Callable[[float, float], Figure]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    @final
    class Layout(ConstrainedLayoutEngine):
        """Constrained layout until it settles: with panels of a fixed shape, once is not enough."""

        def execute(self, fig: Figure) -> None:
            """Place the panels."""
            for _ in range(_PASSES):
                super().execute(fig)

    @final
    class Picture(Figure):
        """A figure that nothing overlaps in."""

        def __init__(self, width: float, height: float) -> None:
            layout = Layout(w_pad=0.04, h_pad=0.04, wspace=0.03, hspace=0.05)
            super().__init__(figsize=(width, height), layout=layout, facecolor="white")
            FigureCanvasAgg(self)
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

    return Picture
