"""Solutions along a parameter: around folds, and from branch to branch."""

from fspielm.solvers.following.branch import Bifurcation, Branch, BranchPoint, Fold
from fspielm.solvers.following.follow import follow

__all__ = ["Bifurcation", "Branch", "BranchPoint", "Fold", "follow"]
