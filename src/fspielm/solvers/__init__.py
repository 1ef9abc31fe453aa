"""The conductor: solve()."""

from fspielm.features.special import Singular
from fspielm.solvers.approach import APPROACHES
from fspielm.solvers.budget import Budget
from fspielm.solvers.prepare import Prepared, prepare
from fspielm.solvers.solve import solve

__all__ = ["APPROACHES", "Budget", "Prepared", "Singular", "prepare", "solve"]
