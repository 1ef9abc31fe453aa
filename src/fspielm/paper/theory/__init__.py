"""Statistics of effective frequencies: exact, as the paper states them, and drawn."""

from fspielm.paper.theory.comparison import Comparison, RatioComparison, compare, compare_ratios
from fspielm.paper.theory.moments import (
    Moments,
    Sample,
    effective_frequencies,
    scale_for_mean,
    scaling_moments,
    shift_for_mean,
    shift_moments,
)
from fspielm.paper.theory.report import STEPS, write_theory

__all__ = [
    "STEPS",
    "Comparison",
    "Moments",
    "RatioComparison",
    "Sample",
    "compare",
    "compare_ratios",
    "effective_frequencies",
    "scale_for_mean",
    "scaling_moments",
    "shift_for_mean",
    "shift_moments",
    "write_theory",
]
