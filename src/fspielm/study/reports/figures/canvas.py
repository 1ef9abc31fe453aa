"""What the pictures have in common: their size, their logarithmic axes, the look of a method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fspielm.solution.pictures.labels import as_text
from fspielm.solution.pictures.style import WIDTHS
from fspielm.study.reports.analysis import SHORT_LABELS
from fspielm.study.reports.charts import COLOURS, LogScale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

HEIGHT = 3.2
# Upright as all other text: every further font costs time and space in each PDF.
MU_MIN, MU_MAX = r"$\mathrm{\mu_{min}}$", r"$\mathrm{\mu_{max}}$"

_MOST_IN_A_ROW = 5
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_MARKERS = {
    "tanh": "o",
    "siren": "s",
    "gff": "^",
    "fs-l": "D",
    "fs-g": "v",
    "fs-l-space": "P",
    "fs-g-space": "X",
    "automatic": "*",
}
# By area they look alike only so.
_SIZES = {"automatic": 1.5, "fs-l": 0.85, "fs-l-space": 1.15, "fs-g-space": 1.15}


def new_figure(title: str, height: float = HEIGHT) -> Figure:
    """A figure as wide as a page's text, with plain text above."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from fspielm.solution.pictures.figure import new_picture

    figure = new_picture(WIDTHS["double"], height)
    # one pass instead of several: no panel here has a fixed shape
    figure.set_layout_engine(ConstrainedLayoutEngine(w_pad=0.04, h_pad=0.04, wspace=0.03, hspace=0.05))
    figure.suptitle(as_text(title), fontsize=9)
    return figure


def look(method: str, size: float = 4.0) -> dict[str, Any]:
    """The colour, marker and name of a method."""
    return {
        "color": COLOURS[method],
        "marker": _MARKERS[method],
        "markersize": size * _SIZES.get(method, 1.0),
        "label": SHORT_LABELS[method],
    }


def set_log_axis(axes: Axes, which: str, scale: LogScale, label: str) -> None:
    """Make an axis logarithmic, with the scale's ticks."""
    from matplotlib.ticker import NullLocator

    axis: Axis = getattr(axes, f"{which}axis")
    getattr(axes, f"set_{which}scale")("log")
    getattr(axes, f"set_{which}lim")(scale.low, scale.high)
    axis.set_ticks(scale.ticks, scale.labels(power))
    axis.set_minor_locator(NullLocator())
    axis.set_label_text(label)


def power(factor: str, exponent: int) -> str:
    """A factor times a power of ten."""
    return f"{factor and factor + '·'}10{str(exponent).translate(_RAISED)}"


def add_legend(figure: Figure, axes: Axes) -> None:
    """Name the methods below the picture."""
    handles, labels = axes.get_legend_handles_labels()
    columns = len(labels) if len(labels) <= _MOST_IN_A_ROW else -(-len(labels) // 2)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, handletextpad=0.4)
