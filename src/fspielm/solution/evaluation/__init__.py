"""Sums of features at many points: directly, or by fast transforms where that is sooner done."""

from fspielm.solution.evaluation.choice import SLAB, Method, evaluate, evaluate_each
from fspielm.solution.evaluation.direct import tabulate
from fspielm.solution.evaluation.waves import Waves, split_waves, transform_rounding

__all__ = ["SLAB", "Method", "Waves", "evaluate", "evaluate_each", "split_waves", "tabulate", "transform_rounding"]
