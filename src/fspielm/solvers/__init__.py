"""The conductor: solve()."""

from fspielm.solvers.approach import APPROACHES
from fspielm.solvers.budget import Budget
from fspielm.solvers.prepare import Prepared, prepare
from fspielm.solvers.singular import Singular
from fspielm.solvers.solve import solve

__all__ = ["APPROACHES", "Budget", "Prepared", "Singular", "prepare", "solve"]
