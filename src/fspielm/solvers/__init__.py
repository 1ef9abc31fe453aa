"""The conductor: solve()."""

from fspielm.solvers.budget import Budget
from fspielm.solvers.prepare import Plan, prepare
from fspielm.solvers.solve import solve

__all__ = ["Budget", "Plan", "prepare", "solve"]
