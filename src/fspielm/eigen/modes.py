"""Modes as eigenmodes() returns them, and which modes are wanted."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final, overload

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.numerics.tolerances import CLOSE
from fspielm.solution.plot.modes import MOST_DRAWN, plot_modes
from fspielm.solution.plot.style import LAYOUT, check_picture_path, save_picture
from fspielm.solution.solution import Solution
from fspielm.solvers.request import INTERRUPTED
from fspielm.wording import known_digits

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(
    modes: Modes, path: str | os.PathLike[str] | None = None, *, count: int = MOST_DRAWN, title: str | None = None
) -> Figure:
    """Draw the first modes with their values and error bounds.

    Shows the real part of complex fields, and the length of vector fields.

    Parameters
    ----------
    modes : Modes
    path : str or path, optional
        Where to save the picture: ``.png``, ``.pdf``, ``.svg`` or ``.jpg``.
    count : int
        How many to draw, at most.
    title : str, optional
        Above the picture, as plain text; a note is added if only some of the modes are drawn.

    Returns
    -------
    Figure
        Independent of pyplot and its global state; a notebook shows it.
    """
    check_picture_path(path)
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise ProblemError(f"count must be a whole number, 1 or more; got {count!r}")
    if not len(modes):
        raise ProblemError("there are no modes to plot: the search found none")
    drawn = modes[:count]
    if len(drawn) < len(modes):
        some = f"the first {len(drawn)} of {len(modes)} modes"
        title = some if title is None else f"{title}: {some}"
    figure = plot_modes([mode.field for mode in drawn], [caption(n, mode) for n, mode in enumerate(drawn, 1)], title)
    return save_picture(figure, path)


def caption(number: int, mode: Mode) -> str:
    """The digits of the value that are known, and below them its error bound or estimate."""
    many = f", {mode.multiplicity}-fold" if mode.multiplicity > 1 else ""
    if mode.value == 0 and mode.bound == 0:  # constants
        return f"{number}:  0\nexact{many}"
    error = f"error about {mode.estimate:.1e}" if mode.bound is None else f"\N{PLUS-MINUS SIGN} {mode.bound:.1e}"
    error = error if math.isfinite(mode.estimate) else "error unknown"
    return f"{number}:  {known_digits(mode.value, mode.estimate, LAYOUT.caption_digits)}\n{error}{many}"


# ---- The result of `eigenmodes`


@final
@dataclass(frozen=True, eq=False)
class Mode:
    """An eigenvalue and its function.

    Attributes
    ----------
    value : float or complex
    bound : float or None
        A bound for the error of the value; None if the problem is not selfadjoint, or if the eigenvalue occurs with
        derivatives, in conditions or with powers.
    estimate : float
        The bound, or without one an estimate of the error to first order.
    field : Solution
        The function, with a square whose integral is one; real functions are positive where they are largest. The
        largest value of a resonance's function in the window, at the places checked, is one; far away it grows.
    multiplicity : int
        How many modes have values that cannot be distinguished from this one. Their fields are orthogonal if the
        problem is selfadjoint.
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
        Whether the inverse is symmetric up to its errors.
    complete : bool
        Whether a second search, from another shift and other functions, found exactly the same modes, and no narrow
        feature or condition could bind modes elsewhere; for membranes and cavities, whether searches from energies
        below and above agree on all modes.
    remarks : tuple of str
        Warnings, in sentences.
    """

    modes: tuple[Mode, ...]
    selfadjoint: bool
    complete: bool
    remarks: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Number of modes."""
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


# The rounding error of a value, relative to it.
VALUE_ROUNDING = 2e-15
# A safety factor for errors that are known to first order.
AMPLE = 3.0
# The accuracy of values in searches that only show where modes are; and a margin beyond the ends of intervals, as a
# share of their length.
ROUGH_TOL = 1e-3


def modes_of(values: NumberArray, errors: FloatArray, fields: Sequence[Solution], *, bounded: bool) -> list[Mode]:
    """Modes by their values, errors (which may be bounds) and fields, and how many cannot be told from each."""
    found = []
    for value, error, field in zip(values.tolist(), errors.tolist(), fields, strict=True):
        # not counting values with unknown errors
        alike = np.count_nonzero((np.abs(values - value) <= errors + error) & np.isfinite(errors + error))
        plain = value.real if value.imag == 0 else value
        found.append(Mode(plain, error if bounded else None, error, field, max(1, int(alike))))
    return found


def split_at_gaps(values: FloatArray, gaps: float | FloatArray) -> list[NDArray[np.intp]]:
    """Places of sorted values in groups, with larger gaps between one group and the next."""
    return list(np.split(np.arange(len(values)), np.flatnonzero(np.abs(np.diff(values)) > gaps) + 1))


def errors_above(modes: Sequence[Mode], tol: float, unit: float) -> list[float]:
    """Errors above the tolerance, which is relative to the value, or to the unit if that is larger."""
    return [mode.estimate for mode in modes if not mode.estimate <= tol * max(abs(mode.value), unit)]


def preferred(one: Modes, other: Modes, tol: float, unit: float) -> Modes:
    """The better of two searches: first by bounds, then by modes within the tolerance, then by completeness."""
    most = max(len(one), len(other))

    def lacks(modes: Modes) -> tuple[int, int, bool]:
        bounded = sum(mode.bound is not None and mode.bound < np.inf for mode in modes)
        return most - bounded, most - len(modes) + len(errors_above(modes, tol, unit)), not modes.complete

    return min((one, other), key=lacks)


def interrupted_modes(modes: Sequence[Mode], selfadjoint: bool, tol: float, unit: float) -> Modes | None:
    """The modes that were found before an interruption; None if there are none."""
    if not modes:
        return None
    remarks = (f"{INTERRUPTED}: modes may be missing", *accuracy_remarks(modes, tol, unit, INTERRUPTED))
    return Modes(tuple(modes), selfadjoint, False, remarks)


def accuracy_remarks(modes: Sequence[Mode], tol: float, unit: float, why: str) -> list[str]:
    """A sentence about modes with errors above the tolerance, if there are any."""
    errors = errors_above(modes, tol, unit)
    if not errors:
        return []
    most = f"of {max(errors):.1e} at most" if math.isfinite(max(errors)) else "some of them unknown"
    found = f"{len(errors)} of {len(modes)} values have errors above the tolerance, {most}"
    return [f"{found}: {why or 'the search was not at its end; allow more with budget=fs.Budget(seconds=...)'}"]


# ---- Which modes are wanted

# Margin beyond the ends of an interval, in units of the errors of modes.
_ERRORS = 2.0


@final
@dataclass(frozen=True)
class Wish:
    """A number of modes from the lowest on, or all in an interval."""

    count: int | None
    interval: tuple[float, float] | None
    unit: float  # the approximate distance of the first values: errors of smaller values are relative to it

    def margin(self, tol: float) -> float:
        """How far beyond the ends of the interval to search, for values with relative errors up to a tolerance."""
        if self.interval is None:
            return math.inf
        lower, upper = self.interval
        return max(ROUGH_TOL * (upper - lower), _ERRORS * tol * max(abs(lower), abs(upper), self.unit))

    def searched_interval(self, tol: float) -> tuple[float, float] | None:
        """The interval with its margin: a value at an end may be found on either side of it."""
        if self.interval is None:
            return None
        return self.interval[0] - self.margin(tol), self.interval[1] + self.margin(tol)


@final
@dataclass(frozen=True)
class Window:
    """Modes around a shift: a number of the closest, or all within an interval around it."""

    shift: float
    count: int | None = None
    lower: float = -np.inf  # the ends of the interval
    upper: float = np.inf
    direction: int = 0  # whether a number of modes is wanted above the shift (1), below it (-1) or on either side (0)

    def needed(self, mu: NDArray[np.complex128]) -> int:
        """How many of the closest modes include all that are wanted, by their distances in ascending order."""
        if self.count is not None:
            return self.count
        return int(np.count_nonzero(np.abs(mu) <= max(self.upper - self.shift, self.shift - self.lower)))

    def pick(self, mu: NDArray[np.complex128]) -> NDArray[np.intp]:
        """Places of the wanted modes, in the order of their values."""
        values = self.shift + mu
        if self.count is not None:
            chosen = np.arange(min(self.count, len(mu)))
        else:
            real = np.abs(mu.imag) <= CLOSE * np.maximum(np.abs(mu), np.abs(values))
            chosen = np.flatnonzero(real & (values.real >= self.lower) & (values.real <= self.upper))
        keys = (self.direction or 1) * values.real if self.count is None or self.direction else np.abs(values)
        return np.asarray(chosen[np.argsort(keys[chosen], kind="stable")], dtype=np.intp)

    def behind(self, mu: NDArray[np.complex128]) -> NDArray[np.float64]:
        """Values on the side of the shift where there should be none."""
        if not self.direction:
            return np.empty(0)
        values = self.shift + mu[self.direction * mu.real < 0].real
        return np.asarray(values)


def widest_gap(places: FloatArray, low: float, high: float) -> float:
    """The middle of the widest gap between two ends."""
    known = np.sort([low, high, *places[(places > low) & (places < high)]])
    place = int(np.argmax(np.diff(known)))
    return float(0.5 * (known[place] + known[place + 1]))
