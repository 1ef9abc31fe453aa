"""What the pictures show, as numbers; drawn twice: by matplotlib for print, and as SVG on the page."""

from fspielm.study.reports.charts.frequencies import Frequencies, Law, frequencies, redrawn_frequencies
from fspielm.study.reports.charts.heat_map import HeatMap, every_few, heat_map
from fspielm.study.reports.charts.lines import Line, Lines, lines
from fspielm.study.reports.charts.palette import COLOURS, DARK_COLOURS, heat_colour
from fspielm.study.reports.charts.scale import LogScale, log_scale
from fspielm.study.reports.charts.seeds import Seeds, Strip, seeds
from fspielm.study.reports.charts.times import Cloud, Times, times

__all__ = [
    "COLOURS",
    "DARK_COLOURS",
    "Cloud",
    "Frequencies",
    "HeatMap",
    "Law",
    "Line",
    "Lines",
    "LogScale",
    "Seeds",
    "Strip",
    "Times",
    "every_few",
    "frequencies",
    "heat_colour",
    "heat_map",
    "lines",
    "log_scale",
    "redrawn_frequencies",
    "seeds",
    "times",
]
