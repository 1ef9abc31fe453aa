"""What eigenmodes() finds, and which modes are wanted."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final, overload

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.solution.plot.modes import MOST_DRAWN, plot_modes
from fspielm.solution.plot.style import check_picture_path, save_picture
from fspielm.solution.solution import Solution
from fspielm.solvers.request import INTERRUPTED
from fspielm.wording import known_digits

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# ---- Modes.plot(): the first modes with their values and errors


_CAPTION_DIGITS = 10


def plot(
    modes: Modes, path: str | os.PathLike[str] | None = None, *, count: int = MOST_DRAWN, title: str | None = None
) -> Figure:
    """Draw the first modes, each with its value and how far the true value may be away.

    Of complex fields the real part is shown, of several unknowns the length of the vector that they are.

    Parameters
    ----------
    modes : Modes
    path : str or path, optional
        Where to save the picture: ``.png``, ``.pdf``, ``.svg`` or ``.jpg``.
    count : int
        How many to draw, at most.
    title : str, optional
        Above the picture, as plain text; it also says if only some of the modes are drawn.

    Returns
    -------
    Figure
        Free of pyplot and its global state; a notebook shows it.
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
    """The value as far as it is known, and below it how far the true one may be away."""
    many = f", {mode.multiplicity}-fold" if mode.multiplicity > 1 else ""
    if mode.value == 0 and mode.bound == 0:  # that of the constants
        return f"{number}:  0\nexact{many}"
    return f"{number}:  {known_digits(mode.value, mode.estimate, _CAPTION_DIGITS)}\n{_error(mode)}{many}"


def _error(mode: Mode) -> str:
    """How far the true value may be away, where anything is known of that."""
    if not math.isfinite(mode.estimate):
        return "error unknown"
    return f"error about {mode.estimate:.1e}" if mode.bound is None else f"\N{PLUS-MINUS SIGN} {mode.bound:.1e}"


# ---- What `eigenmodes` finds


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


def errors_above(modes: Sequence[Mode], tol: float, unit: float) -> list[float]:
    """Errors above the tolerance, which is relative to values, or a unit."""
    return [mode.estimate for mode in modes if not mode.estimate <= tol * max(abs(mode.value), unit)]


def preferred(one: Modes, other: Modes, tol: float, unit: float) -> Modes:
    """Of two searches for the same modes that which knows more: bounds, then modes within the tolerance, then all."""
    most = max(len(one), len(other))

    def lacks(modes: Modes) -> tuple[int, int, bool]:
        bounded = sum(mode.bound is not None and mode.bound < np.inf for mode in modes)
        return most - bounded, most - len(modes) + len(errors_above(modes, tol, unit)), not modes.complete

    return min((one, other), key=lacks)


def interrupted_modes(modes: Sequence[Mode], selfadjoint: bool, tol: float, unit: float) -> Modes | None:
    """What was found before an interruption; None if that is nothing."""
    if not modes:
        return None
    remarks = (f"{INTERRUPTED}: modes may be missing", *accuracy_remarks(modes, tol, unit, INTERRUPTED))
    return Modes(tuple(modes), selfadjoint, False, remarks)


def accuracy_remarks(modes: Sequence[Mode], tol: float, unit: float, why: str) -> list[str]:
    """A sentence about modes with errors above the tolerance; or none."""
    errors = errors_above(modes, tol, unit)
    if not errors:
        return []
    most = f"of {max(errors):.1e} at most" if math.isfinite(max(errors)) else "some of them unknown"
    found = f"{len(errors)} of {len(modes)} values have errors above the tolerance, {most}"
    return [f"{found}: {why or 'the search was not at its end; allow more with budget=fs.Budget(seconds=...)'}"]


# ---- Which modes are wanted


# Of a real value, an imaginary part that is rounding.
_REAL = 1e-7
# How far beyond the ends of an interval modes are looked for: of its length, and in units of their errors.
_BEYOND, _ERRORS = 1e-3, 2.0


@final
@dataclass(frozen=True)
class Wish:
    """So many modes from the lowest on, or all in an interval.

    Attributes
    ----------
    count : int or None
    interval : (float, float) or None
    unit : float
        About how far the first values are from each other: errors are relative to it where values are less.
    """

    count: int | None
    interval: tuple[float, float] | None
    unit: float

    def margin(self, tol: float) -> float:
        """How far beyond the ends of the interval to look, for values with relative errors up to a tolerance."""
        if self.interval is None:
            return math.inf
        lower, upper = self.interval
        return max(_BEYOND * (upper - lower), _ERRORS * tol * max(abs(lower), abs(upper), self.unit))

    def searched_interval(self, tol: float) -> tuple[float, float] | None:
        """The interval with its margin: a value at an end may be seen on either side of it."""
        if self.interval is None:
            return None
        return self.interval[0] - self.margin(tol), self.interval[1] + self.margin(tol)


@final
@dataclass(frozen=True)
class Window:
    """Modes around a shift: so many of the closest, or all within an interval around it.

    Attributes
    ----------
    shift : float
    count : int or None
    lower, upper : float
        Between which values are wanted.
    direction : int
        Where a number is wanted: of those above the shift, or below it; on either side, if it is zero.
    """

    shift: float
    count: int | None = None
    lower: float = -np.inf
    upper: float = np.inf
    direction: int = 0

    def needed(self, mu: NDArray[np.complex128]) -> int:
        """How many of the closest have to be known for the wanted ones to be, by their distances, the closest first."""
        if self.count is not None:
            return self.count
        return int(np.count_nonzero(np.abs(mu) <= max(self.upper - self.shift, self.shift - self.lower)))

    def pick(self, mu: NDArray[np.complex128]) -> NDArray[np.intp]:
        """The wanted ones, in the order of their values."""
        values = self.shift + mu
        if self.count is not None:
            chosen = np.arange(min(self.count, len(mu)))
        else:
            real = np.abs(mu.imag) <= _REAL * np.maximum(np.abs(mu), np.abs(values))
            chosen = np.flatnonzero(real & (values.real >= self.lower) & (values.real <= self.upper))
        keys = (self.direction or 1) * values.real if self.count is None or self.direction else np.abs(values)
        return np.asarray(chosen[np.argsort(keys[chosen], kind="stable")], dtype=np.intp)

    def behind(self, mu: NDArray[np.complex128]) -> NDArray[np.float64]:
        """Values of those on the side of the shift where there should be none."""
        if not self.direction:
            return np.empty(0)
        values = self.shift + mu[self.direction * mu.real < 0].real
        return np.asarray(values)


def widest_gap(places: FloatArray, low: float, high: float) -> float:
    """The middle of the widest gap between two ends."""
    known = np.sort([low, high, *places[(places > low) & (places < high)]])
    place = int(np.argmax(np.diff(known)))
    return float(0.5 * (known[place] + known[place + 1]))
