"""Solutions along a parameter: around folds, and from branch to branch."""

from fspielm.solvers.following.branch import Bifurcation, Branch, Fold, Point
from fspielm.solvers.following.follow import follow

__all__ = ["Bifurcation", "Branch", "Fold", "Point", "follow"]
