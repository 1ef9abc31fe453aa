"""The answer: evaluate it, look at it, read how it came about."""

from fspielm.solution.estimate import ILL_POSED, PROBES, ErrorEstimate, Sensitivity, estimate_error
from fspielm.solution.evaluation import evaluate, tabulate
from fspielm.solution.held_out import HeldOut
from fspielm.solution.report import BandReport, Report, Round
from fspielm.solution.solution import Solution

__all__ = [
    "ILL_POSED",
    "PROBES",
    "BandReport",
    "ErrorEstimate",
    "HeldOut",
    "Report",
    "Round",
    "Sensitivity",
    "Solution",
    "estimate_error",
    "evaluate",
    "tabulate",
]
