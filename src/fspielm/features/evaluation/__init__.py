"""Sums of features at many points: directly, or by fast transforms where that is sooner done."""

from fspielm.features.evaluation.direct import tabulate
from fspielm.features.evaluation.parts import split_leaves
from fspielm.features.evaluation.sums import SLAB, Method, evaluate, evaluate_each
from fspielm.features.evaluation.waves import Waves, split_waves, transform_rounding

__all__ = [
    "SLAB",
    "Method",
    "Waves",
    "evaluate",
    "evaluate_each",
    "split_leaves",
    "split_waves",
    "tabulate",
    "transform_rounding",
]
