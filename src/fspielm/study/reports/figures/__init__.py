"""The pictures of a report by matplotlib, for print: PNG and PDF."""

from fspielm.study.reports.figures.frequencies import draw_frequencies
from fspielm.study.reports.figures.heat_map import draw_heat_map
from fspielm.study.reports.figures.lines import draw_lines
from fspielm.study.reports.figures.save import FORMATS, save_figure
from fspielm.study.reports.figures.seeds import draw_seeds
from fspielm.study.reports.figures.times import draw_times

__all__ = ["FORMATS", "draw_frequencies", "draw_heat_map", "draw_lines", "draw_seeds", "draw_times", "save_figure"]
