"""What `eigenmodes` finds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final, overload

import numpy as np
from numpy.typing import NDArray

from fspielm.solvers.so_far import INTERRUPTED
from fspielm.wording import known_digits

from fspielm.solvers.modes.picture import plot

if TYPE_CHECKING:
    from fspielm.solution import Solution


@final
@dataclass(frozen=True, eq=False)
class Mode:
    """An eigenvalue and its function.

    Attributes
    ----------
    value : float or complex
    bound : float or None
        The true value is no farther away, where the problem is selfadjoint; None where it is not, or where the
        eigenvalue occurs with derivatives, in conditions or with powers.
    estimate : float
        How far away the true value may be: the bound, or, where there is none, an estimate of the first order.
    field : Solution
        The function, with a square whose integral is one; real functions are positive where they are largest. That of a
        resonance is one where it is largest, of places of the window that are looked at; it grows far away.
    multiplicity : int
        How many of the modes have values that cannot be told from this one; their fields are orthogonal to each other
        where the problem is selfadjoint.
    """

    value: Any
    bound: float | None
    estimate: float
    field: Solution
    multiplicity: int = 1

    def __repr__(self) -> str:
        known = f"estimate={self.estimate:.1e}" if self.bound is None else f"bound={self.bound:.1e}"
        return f"Mode({known_digits(self.value, self.estimate)}, {known})"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Modes(Sequence[Mode]):
    """Modes in the order of their values.

    Attributes
    ----------
    modes : tuple of Mode
    selfadjoint : bool
        Whether the inverse was found to be symmetric, as far as its own errors show.
    complete : bool
        Whether a second search, from another shift and from other functions, found the same modes and no other, and
        nothing narrow and no condition could bind modes elsewhere; of membranes and cavities, whether all modes were
        seen alike from energies below and above.
    remarks : tuple of str
        What there is to know besides, in sentences.
    """

    modes: tuple[Mode, ...]
    selfadjoint: bool
    complete: bool
    remarks: tuple[str, ...] = ()

    def __len__(self) -> int:
        """How many there are."""
        return len(self.modes)

    @overload
    def __getitem__(self, place: int) -> Mode: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Mode, ...]: ...

    def __getitem__(self, place: int | slice) -> Mode | tuple[Mode, ...]:
        """One of them, or some."""
        return self.modes[place]

    def __iter__(self) -> Iterator[Mode]:
        """One after the other."""
        return iter(self.modes)

    @property
    def values(self) -> NDArray[Any]:
        """All values."""
        return np.array([mode.value for mode in self.modes])

    @property
    def bounds(self) -> NDArray[np.float64]:
        """All bounds; NaN where there is none."""
        return np.array([np.nan if mode.bound is None else mode.bound for mode in self.modes])

    plot = plot

    def __repr__(self) -> str:
        lines = [f"{len(self.modes)} mode{'s' * (len(self.modes) != 1)}"]
        for number, mode in enumerate(self.modes):
            known = f"estimate {mode.estimate:.1e}" if mode.bound is None else f"bound {mode.bound:.1e}"
            known = known if math.isfinite(mode.estimate) else "error unknown"
            many = f", {mode.multiplicity}-fold" if mode.multiplicity > 1 else ""
            lines.append(f"{number:4d}  {known_digits(mode.value, mode.estimate):<22}  {known}{many}")
        return "\n".join([*lines, *self.remarks])


def alike(values: NDArray[Any], errors: NDArray[np.float64], place: int) -> int:
    """How many values cannot be told from one of them; those of which nothing is certain are not counted as such."""
    close = np.abs(values - values[place]) <= errors + errors[place]
    return max(1, int(np.count_nonzero(close & np.isfinite(errors + errors[place]))))


def late(modes: Sequence[Mode], tol: float, unit: float) -> list[float]:
    """Errors above the tolerance, which is relative to values, or a unit."""
    return [mode.estimate for mode in modes if not mode.estimate <= tol * max(abs(mode.value), unit)]


def preferred(one: Modes, other: Modes, tol: float, unit: float) -> Modes:
    """Of two searches for the same modes that which knows more: bounds, then modes within the tolerance, then all."""
    most = max(len(one), len(other))

    def lacks(modes: Modes) -> tuple[int, int, bool]:
        bounded = sum(mode.bound is not None and mode.bound < np.inf for mode in modes)
        return most - bounded, most - len(modes) + len(late(modes, tol, unit)), not modes.complete

    return min((one, other), key=lacks)


def cut_short(modes: Sequence[Mode], selfadjoint: bool, tol: float, unit: float) -> Modes | None:
    """What was found before an interruption; None if that is nothing."""
    if not modes:
        return None
    remarks = (f"{INTERRUPTED}: modes may be missing", *late_ones(modes, tol, unit, INTERRUPTED))
    return Modes(tuple(modes), selfadjoint, False, remarks)


def late_ones(modes: Sequence[Mode], tol: float, unit: float, why: str) -> list[str]:
    """A sentence about modes with errors above the tolerance; or none."""
    errors = late(modes, tol, unit)
    if not errors:
        return []
    most = f"of {max(errors):.1e} at most" if math.isfinite(max(errors)) else "some of them unknown"
    found = f"{len(errors)} of {len(modes)} values have errors above the tolerance, {most}"
    return [f"{found}: {why or 'the search was not at its end; allow more with budget=fs.Budget(seconds=...)'}"]
