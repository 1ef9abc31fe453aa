"""What is asked of a solve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from fspielm.arrays import FloatArray
from fspielm.collocation import Points, Scaling
from fspielm.equations import Problem
from fspielm.equations.relations import has_complex_operator
from fspielm.features.special import Choice
from fspielm.linalg import QR, LeastSquares
from fspielm.solvers.approach import Approach
from fspielm.solvers.budget import Budget
from fspielm.solvers.progress import Progress, silence
from fspielm.solvers.randomness import Streams


@final
@dataclass(frozen=True, eq=False)
class Request:
    """What is fixed before a solve begins; see `solve`, whose arguments these are.

    All but its streams, from which every round draws further numbers.

    Attributes
    ----------
    problem : Problem
    tol : float
    budget : Budget
    streams : Streams
    seed : int or None
        That the streams came from.
    progress : callable
    points : Points, optional
    method : LeastSquares
    scaling : {"rms", "none"}
    singular : bool, Singular or sequence of Singular, optional
    approach : str, optional
    reuse : bool
        Whether to keep the factored system, as large as the matrix, for further right-hand sides.
    """

    problem: Problem
    tol: float
    budget: Budget
    streams: Streams
    seed: int | None
    progress: Progress = silence
    points: Points | None = None
    method: LeastSquares = field(default_factory=QR)
    scaling: Scaling = "rms"
    singular: Choice = None
    approach: Approach | None = None
    reuse: bool = False

    @property
    def lengths(self) -> FloatArray:
        """Extent of the domain along each axis."""
        lower, upper = self.problem.domain.bounding_box
        return upper - lower

    @property
    def itemsize(self) -> int:
        """Bytes of a number in its systems."""
        return 16 if self.problem.domain.is_unbounded or any(map(has_complex_operator, self.problem.relations)) else 8

    @property
    def threads(self) -> int:
        """That fill matrices."""
        return self.budget.thread_count
