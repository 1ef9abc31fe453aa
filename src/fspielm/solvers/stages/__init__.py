"""The kinds of features that the automatic solver knows, and which of them a problem calls for."""

from fspielm.solvers.stages.selection import Selection, check_asked_for, select_stages
from fspielm.solvers.stages.stage import Ending, Stage, Step

__all__ = ["Ending", "Selection", "Stage", "Step", "check_asked_for", "select_stages"]
