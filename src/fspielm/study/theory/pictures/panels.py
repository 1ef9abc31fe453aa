"""What the pictures of the theory share: colours, and a scale for deviations of either sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fspielm.solution.pictures.style import BLUE, GRID, VERMILION
from fspielm.study.theory.monte_carlo import Scheme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS: dict[Scheme, str] = {"scaling": VERMILION, "shift": BLUE}

# Points of a curve over several decades.
CURVE_POINTS = 400

# Percent; the scale of deviations is linear up to here and logarithmic beyond.
_LINEAR = 1.0
# The size of the linear part for which curves have no kink where it ends: 0.9 of 1 / log(10).
_SMOOTH = 0.391
_TICKS = {
    -100.0: "\N{MINUS SIGN}100",
    -10.0: "\N{MINUS SIGN}10",
    -1.0: "\N{MINUS SIGN}1",
    0.0: "0",
    1.0: "1",
    10.0: "10",
}


def scale_percent(axes: Axes, low: float, high: float) -> None:
    """Set a vertical scale for deviations in percent, linear within one percent, which is shaded."""
    axes.set_yscale("symlog", linthresh=_LINEAR, linscale=_SMOOTH)
    axes.set_ylim(low, high)
    shown = {tick: label for tick, label in _TICKS.items() if low <= tick <= high}
    axes.set_yticks(list(shown), list(shown.values()))
    axes.axhspan(-_LINEAR, _LINEAR, color=GRID, alpha=0.6, zorder=0)
    axes.grid(True)


def tidy(axes: Axes) -> None:
    """Leave the top and the right side of a panel open, and leave out the small ticks, which take long to lay out."""
    axes.minorticks_off()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
