"""The kinds of features that the automatic solver knows, and which of them a problem calls for."""

from fspielm.solvers.stages.choice import Selection, select_stages
from fspielm.solvers.stages.stage import Stage

__all__ = ["Selection", "Stage", "select_stages"]
