"""A solution to more digits: a method of `Solution`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from fspielm.errors import AccuracyWarning

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


def refine(solution: Solution, tol: float, *, budget: Any = None, progress: Any = None) -> Solution:
    """The same problem to more digits, from where its solve has ended.

    Bands, cells and the kind of functions that was enough are not looked for again; where the problem is not linear,
    Newton's method begins with the solution. Of one that was loaded, cells and values serve; the rest is found anew.

    Parameters
    ----------
    tol : float
        Relative L2 error to reach, measured by the estimate.
    budget : Budget, optional
        That of the solve by default, all of it again.
    progress : bool or callable, optional
        As for `solve`.

    Returns
    -------
    Solution
        No worse than this one; itself, with another verdict, where it meets the tolerance. Its report has the rounds
        before, too.

    Raises
    ------
    ProblemError
        If the features were chosen by hand; of a mode, of one of several unknowns, and where a file could not hold the
        statement.
    SolveInterrupted
        After Ctrl-C; its `solution` is the best so far, this one at least.
    """
    from fspielm.solvers.refining import refined  # a layer above

    found = refined(solution, tol, budget, progress)
    if not found.converged:
        warnings.warn(f"not converged: {found.report.reason}", AccuracyWarning, stacklevel=2)
    return found
