"""count_modes(): how many modes a membrane has below a value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.equations import Problem
from fspielm.errors import ProblemError
from fspielm.solvers.budget import Budget
from fspielm.solvers.modes.checks import read_pencil
from fspielm.solvers.modes.membranes.direct import bottom, scanned
from fspielm.solvers.modes.membranes.membrane import membrane_of
from fspielm.solvers.record import Record

# The mean of a count less Weyl's law, over the upper half of at least so many modes: one mode that is missing among the
# lower half would be one.
_FEW, _OFF = 40, 0.7


@final
@dataclass(frozen=True, eq=False)
class ModeCount:
    """How many modes there are.

    Attributes
    ----------
    number : int
    certain : bool
        Whether all of them were seen alike from energies below and above and, of forty or more, their number agrees
        with Weyl's law in the mean.
    values : (n,) array
        Of the modes, to about four digits, ascending.
    weyl : float
        What Weyl's law says in the mean: area, length of the boundary, corners and bends.
    deviation : float
        The mean of the count less Weyl's law, over the upper half of the modes: about -1 if one is missing.
    remarks : tuple of str
    """

    number: int
    certain: bool
    values: FloatArray
    weyl: float
    deviation: float
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sure = "certain" if self.certain else "not certain"
        lines = [f"{self.number} modes, {sure}; Weyl's law: {self.weyl:.1f}, off by {self.deviation:+.2f} in the mean"]
        return "\n".join([*lines, *self.remarks])


def count_modes(problem: Problem, lam: sp.Symbol, below: float, *, budget: Budget | None = None) -> ModeCount:
    """How many modes a membrane has whose values are below a number, with each of them seen.

    Parameters
    ----------
    problem, lam
        As for `eigenmodes`; the Laplacian with constant coefficients on a plane domain, with values or slopes of zero
        at the boundary.
    below : float
        Not a value itself.
    budget : Budget, optional

    Returns
    -------
    ModeCount

    Raises
    ------
    ProblemError
        If the problem is another one, or the budget is too small.

    Examples
    --------
    >>> import fspielm as fs, sympy as sp
    >>> x, y, lam = sp.symbols("x y lam")
    >>> u = sp.Function("u")(x, y)
    >>> equation = sp.Eq(-u.diff(x, 2) - u.diff(y, 2), lam * u)
    >>> drum = fs.Problem(equation, fs.Disk((0, 0), 1), [fs.Dirichlet(0)], given={lam: ...})
    >>> fs.count_modes(drum, lam, below=28).number
    5
    """
    membrane = membrane_of(read_pencil(problem, lam))
    if membrane is None:
        raise ProblemError(
            "modes are counted for the Laplacian with constant coefficients on a plane domain of one piece, with "
            "values or slopes of zero along all of its boundary; this problem is another one: fs.eigenmodes says by "
            "`complete` whether it found all"
        )
    record = Record(budget or Budget())
    energy = membrane.energy(_number(below))
    threads = record.budget.thread_count
    low, hidden = bottom(membrane, threads)
    rest = [0.0] if membrane.is_free and energy > 0 else []
    if energy <= low:
        values = np.array([membrane.value(each) for each in rest])
        return ModeCount(len(rest), not hidden, values, 0.0, 0.0, membrane.doubts(hidden))
    seen = scanned(membrane, low, energy, threads, record.seconds_left)
    energies = np.concatenate([rest, seen.energies])
    laws = np.array([membrane.weyl(each) for each in energies])
    half = len(laws) // 2
    off = float(np.mean((np.arange(len(laws)) + 0.5 - laws)[half:])) if half else 0.0
    remarks = membrane.doubts((*hidden, *seen.doubtful))
    if len(laws) >= _FEW and abs(off) > _OFF:
        remarks += (
            f"the number is off by {off:+.2f} from Weyl's law in the mean: modes may be missing, or be too many",
        )
    values = np.array([membrane.value(each) for each in energies])
    return ModeCount(len(laws), not remarks, values, membrane.weyl(energy), off, remarks)


def _number(below: Any) -> float:
    kinds = int | float | np.integer | np.floating
    if isinstance(below, bool) or not isinstance(below, kinds) or not math.isfinite(below):
        raise ProblemError(f"below must be a finite number; got {below!r}")
    return float(below)
