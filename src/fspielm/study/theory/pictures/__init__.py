"""Pictures of the comparison; they need matplotlib, which is imported when one is drawn."""

from fspielm.study.theory.pictures.densities import draw_densities
from fspielm.study.theory.pictures.moments import draw_moments
from fspielm.study.theory.pictures.ratios import draw_ratios

__all__ = ["draw_densities", "draw_moments", "draw_ratios"]
