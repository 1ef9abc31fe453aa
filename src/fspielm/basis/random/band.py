"""Features that fill a band of frequencies evenly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray
from fspielm.basis.basis import Basis
from fspielm.basis.random.families import Family, Place, check_count
from fspielm.basis.random.ridge import COSINE, RidgeBasis
from fspielm.errors import ProblemError
from fspielm.numerics.sampling import reject, unit_stream


@final
@dataclass(frozen=True, repr=False)
class Band(Family):
    """``cos(w x + b)`` with the frequencies w spread evenly over a band, one half-width for each axis.

    A mean shift with a uniform instead of a normal perturbation: the frequencies are the points of a
    low-discrepancy sequence, so that none of the band is covered twice and none left out.

    Parameters
    ----------
    neurons : int
    widths : sequence of float
        Half-width of the band along each axis: angular frequencies from ``-width`` to ``width``. With a center they
        may be zero, for that frequency alone.
    core : sequence of float, optional
        Half-widths of a box inside the band that is filled to its corners; from there to `widths` the corners
        are rounded, as frequencies that are extreme along several axes at once are hardly ever needed. Without
        it the whole box is filled.
    center : sequence of float, optional
        Where the middle of the band is; zero unless given. Around another frequency a cosine has no mirror image in the
        band to make its sine with, so each frequency is there twice, a quarter of a period apart.
    """

    neurons: int
    widths: tuple[float, ...]
    core: tuple[float, ...] | None = None
    center: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_count("neurons", self.neurons)
        object.__setattr__(self, "widths", _as_widths("widths", self.widths, zero=self.center is not None))
        if self.core is not None:
            object.__setattr__(self, "core", _as_widths("core", self.core, zero=True))
            if len(self.core) != len(self.widths) or np.any(np.array(self.core) > self.widths):
                raise ProblemError(f"core must lie inside widths; got core={self.core}, widths={self.widths}")
        if self.center is not None:
            object.__setattr__(self, "center", _as_center(self.center, len(self.widths)))

    def __repr__(self) -> str:
        """Four digits of the frequencies, for reports."""
        core = "" if self.core is None else f", core={_short(self.core)}"
        center = "" if self.center is None else f", center={_short(self.center)}"
        return f"Band({self.neurons}, widths={_short(self.widths)}{core}{center})"

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        """Draw the frequencies, then phases uniform on [0, 2 pi), counted from the place's center."""
        if place.dimension != len(self.widths):
            raise ProblemError(f"widths must have one entry for each of {place.dimension} axes; got {self.widths}")
        widths = np.array(self.widths)
        stream = unit_stream(place.dimension, rng, "low-discrepancy")
        each = 1 if self.center is None else 2
        number = -(-self.neurons // each)
        W = reject(lambda n: (2 * stream(n) - 1) * widths, self._holds, number, what="the band")
        b = rng.uniform(0.0, 2 * np.pi, number)
        if self.center is not None:
            W, b = W + self.center, b[:, None] - [0.0, 0.5 * np.pi]
        W, b = W.repeat(each, axis=0)[: self.neurons], b.ravel()[: self.neurons]
        return RidgeBasis(W, b, COSINE, origin=place.center)

    def _holds(self, frequencies: FloatArray) -> BoolArray:
        if self.core is None:
            return np.ones(len(frequencies), dtype=np.bool_)
        return in_rounded_box(frequencies, np.array(self.core), np.array(self.widths))


def widths_of(family: Family, basis: Basis) -> tuple[float, ...]:
    """The highest frequency along each axis: what a band was asked for, or what was drawn."""
    if isinstance(family, Band):
        return family.widths
    drawn = [leaf.frequencies.real for leaf in basis.leaves if leaf.frequencies is not None]
    return tuple(np.abs(np.concatenate(drawn)).max(axis=0).tolist() if drawn else basis.reach.tolist())


def _short(widths: tuple[float, ...]) -> str:
    return f"({', '.join(f'{width:.4g}' for width in widths)}{',' * (len(widths) == 1)})"


def in_rounded_box(frequencies: FloatArray, core: FloatArray, widths: FloatArray) -> BoolArray:
    """Mask of the frequencies in the box `core` widened by an ellipsoid to `widths`."""
    margin = widths - core
    beyond = np.maximum(np.abs(frequencies) - core, 0.0)
    excess = np.divide(beyond, margin, out=np.where(beyond > 0, np.inf, 0.0), where=margin > 0)
    return np.asarray(np.sum(excess**2, axis=1) <= 1.0)


def _as_center(values: Sequence[float], dimension: int) -> tuple[float, ...]:
    try:
        center = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise ProblemError(f"center must be a sequence of numbers, one for each axis; got {values!r}") from None
    if len(center) != dimension or not np.all(np.isfinite(center)):
        raise ProblemError(f"center must have one finite number for each of {dimension} axes; got {values!r}")
    return center


def _as_widths(name: str, values: Sequence[float], *, zero: bool = False) -> tuple[float, ...]:
    try:
        widths = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise ProblemError(f"{name} must be a sequence of numbers, one for each axis; got {values!r}") from None
    if not widths or not all(np.isfinite(w) and (w > 0 or (zero and w == 0)) for w in widths):
        raise ProblemError(f"{name} must be positive, one for each axis; got {values!r}")
    return widths
