"""Statistics of effective frequencies: exact, as the FS-PIELM paper states them, and drawn.

`compare` and `compare_ratios` give the numbers, `write_theory` a folder with tables, pictures and findings.
"""

from fspielm.study.theory.comparison import Comparison, compare
from fspielm.study.theory.moments import Moments, scaling_moments, shift_moments
from fspielm.study.theory.monte_carlo import Sample, effective_frequencies
from fspielm.study.theory.ratios import RatioComparison, compare_ratios
from fspielm.study.theory.report import STEPS, write_theory
from fspielm.study.theory.targets import scale_for_mean, shift_for_mean

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
