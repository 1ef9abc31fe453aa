"""The answer: evaluate it, look at it, read how it came about."""

from fspielm.solution.evaluate import evaluate
from fspielm.solution.report import Report
from fspielm.solution.solution import Solution

__all__ = ["Report", "Solution", "evaluate"]
