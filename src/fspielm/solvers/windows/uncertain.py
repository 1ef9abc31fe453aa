"""What is not known of the state at the start of a window, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from fspielm.arrays import FloatArray, NumberArray
from fspielm.solution import Solution
from fspielm.solvers.windows.transfer import Transfer

# Errors from before that are larger, relative to the solution, do not grow as the linear problem says.
_LINEAR = 1e-2


@final
@dataclass(frozen=True, eq=False)
class Uncertain:
    """A window and the errors of the state that it began with.

    Attributes
    ----------
    transfer : Transfer
    own : (U,) array
        The window's own error in each unknown: a root mean square.
    spread : (S m, r) array
        The errors at the start: any combination of these columns whose squares add up to one, for each of `windows`.
    windows : int
        How many there were before.
    finer : float
        What of errors may be finer than the functions of windows, relative to the state.
    """

    transfer: Transfer
    own: FloatArray
    spread: NumberArray
    windows: int = 0
    finer: float = 0.0

    @classmethod
    def first(cls, transfer: Transfer, solution: Solution) -> Uncertain:
        """The first window: what it begins with is given."""
        return cls(transfer, own_errors(solution), np.zeros((transfer.during.shape[1], 1)))

    def followed(self, transfer: Transfer, solution: Solution) -> Uncertain:
        """The window after it."""
        start = transfer.start
        carried = self.transfer.onward(start) @ self.spread
        added = self.transfer.at_end * self.own[start.unknowns] / start.sizes
        every = np.hstack([carried, np.diag(np.repeat(added, len(carried) // len(added)))])
        # the same combinations, of fewer columns
        spread = np.asarray(np.linalg.qr(every.conj().T).R).conj().T
        finer = float(added.max()) + self.transfer.unseen * self.finer
        return Uncertain(transfer, own_errors(solution), spread, self.windows + 1, finer)

    @cached_property
    def carried(self) -> float:
        """What the errors at the start become during the window, relative to the solution, at most."""
        shown = float(np.linalg.norm(self.transfer.during @ self.spread, 2) * np.sqrt(self.windows))
        return max(shown, self.transfer.unseen * self.finer)

    @property
    def errors(self) -> FloatArray:
        """Of each unknown, ``(U,)``: root mean squares."""
        if self.carried > _LINEAR:
            return np.full(len(self.own), np.inf)
        return np.asarray(self.own + self.carried * self.transfer.scales)


def own_errors(solution: Solution) -> FloatArray:
    """The root mean square error of each unknown that an estimate tells, ``(U,)``."""
    fields = solution.estimate.fields
    return np.array([field.relative * field.size / (1 + field.relative) for field in fields])
