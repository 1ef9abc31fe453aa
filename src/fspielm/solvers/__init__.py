"""The conductor: solve()."""

from fspielm.features.special import Singular
from fspielm.solvers.approach import APPROACHES, Approach
from fspielm.solvers.budget import Budget
from fspielm.solvers.solve import solve

__all__ = ["APPROACHES", "Approach", "Budget", "Singular", "solve"]
