"""How pictures look: sizes, colours and type, the same whatever style the user has set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, TypeAlias

from fspielm.errors import ProblemError

Width: TypeAlias = Literal["single", "double"]

# Inches: one and two columns of a journal.
WIDTHS: dict[str, float] = {"single": 3.5, "double": 7.0}

INK = "#222222"
PALE = "#bbbbbb"
GRID = "#e3e3e3"
# Okabe and Ito's colours, which colour-blind readers tell apart.
BLUE = "#0072b2"
VERMILION = "#d55e00"

# Symmetric about white for signed fields; even in lightness for the others.
SIGNED_COLOURS = "RdBu_r"
POSITIVE_COLOURS = "cividis"
LOGARITHMIC_COLOURS = "viridis"
# The same at both ends, light at zero and dark at half a turn.
PHASE_COLOURS = "twilight_shifted"

_SETTINGS: dict[str, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 0.0,
    "ytick.minor.size": 0.0,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.0,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.dpi": 200.0,
    # text stays text, which can be searched and edited
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    # the same picture gives the same bytes
    "svg.hashsalt": "fspielm",
}


@contextmanager
def style() -> Iterator[None]:
    """The package's style while something is drawn or written; the user's settings come back afterwards."""
    from matplotlib.style import context

    with context(["default", _SETTINGS]):
        yield


def inches(width: Width) -> float:
    """The width of a figure; refuses what is no width."""
    if width not in WIDTHS:
        raise ProblemError(f"width must be one of {', '.join(map(repr, WIDTHS))}; got {width!r}")
    return WIDTHS[width]
