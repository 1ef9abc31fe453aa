"""Families of random features: those of the FS-PIELM paper, bands of frequencies, and combinations of families."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, final

import numpy as np

from fspielm.arrays import BoolArray, FloatArray, NumberArray
from fspielm.basis.basis import COSINE, SINE, TANH, Activation, Basis, JoinedBasis, RidgeBasis
from fspielm.basis.wrapping import Component
from fspielm.errors import ProblemError
from fspielm.numerics.sampling import reject, unit_stream
from fspielm.problem.problem import Problem


@final
@dataclass(frozen=True)
class Place:
    """What a family needs to know to draw features.

    Attributes
    ----------
    dimension : int
        Number of coordinates.
    time_axis : int or None
        The index of the time coordinate, if there is one.
    center : (d,) array or None
        The middle of the domain; ignored by the paper's families, which draw about the origin.
    problem : Problem or None
        The problem, for families that depend on it; those of the paper do not.
    """

    dimension: int
    time_axis: int | None = None
    center: FloatArray | None = None
    problem: Problem | None = None


class Family(ABC):
    """A law for random features: a configuration from which `draw` makes a basis.

    To write your own family, define `_draw`, which receives the `Place` and the random generator.

    Attributes
    ----------
    neurons : int
        Number of features drawn.
    """

    neurons: int

    @property
    def satisfies_equation(self) -> bool:
        """Whether all features satisfy the homogeneous equation, which then needs no points."""
        return False

    def doubts(self, coefficients: NumberArray) -> Mapping[str, float]:
        """Errors of the rows of this sum, by block, that come from the functions themselves: root mean squares.

        Empty if the functions are exact.
        """
        return {}

    @property
    def caution(self) -> float:
        """Factor of the sensitivity of their systems, to account for solutions that they cannot represent."""
        return 1.0

    @property
    def parts(self) -> tuple[Family, ...]:
        """The families it consists of: itself alone, unless it joins others."""
        return (self,)

    def draw(
        self,
        dimension: int,
        rng: np.random.Generator,
        *,
        time_axis: int | None = None,
        center: FloatArray | None = None,
        problem: Problem | None = None,
    ) -> Basis:
        """Draw the features for the `Place` with these attributes."""
        return self._draw(Place(dimension, time_axis, center, problem), rng)

    @abstractmethod
    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        """Draw the features."""


@dataclass(frozen=True)
class _Scaling(Family):
    """``activation(delta (w x + b))`` with w standard normal and delta linear over the neurons.

    The paper leaves the bias b open; here it is standard normal like the weights. Multiplied by delta it spreads
    over several periods, which makes the phases of the periodic families nearly uniform.
    """

    neurons: int
    mu: tuple[float, float]
    activation: ClassVar[Activation]

    def __post_init__(self) -> None:
        _check(self)

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        """Draw weights, then biases, and multiply both by the neuron's scale."""
        delta = magnitudes(self.neurons, self.mu)
        weights = rng.standard_normal((self.neurons, place.dimension))
        biases = rng.standard_normal(self.neurons)
        return RidgeBasis(delta[:, None] * weights, delta * biases, self.activation)


@final
class Tanh(_Scaling):
    """Tanh-PIELM: ``tanh(delta (w x + b))``, w and b standard normal, delta linear over the range `mu`."""

    activation = TANH


@final
class Siren(_Scaling):
    """SIREN-PIELM: ``sin(delta (w x + b))``, w and b standard normal, delta linear over the range `mu`."""

    activation = SINE


@final
class GFF(_Scaling):
    """GFF-PIELM: ``cos(delta (w x + b))``, w and b standard normal, delta linear over the range `mu`."""

    activation = COSINE


@final
@dataclass(frozen=True)
class FrequencyShift(Family):
    """FS-PIELM: ``cos(w x + b)`` with ``w = mu d + eps``, d a random direction and eps standard normal.

    Parameters
    ----------
    neurons : int
    mu : (float, float)
        Smallest and largest shift.
    groups : int, optional
        Number of groups of neurons that share a shift (FS-PIELM-G). By default each neuron has its own, linear over
        the range (FS-PIELM-L).
    shift : {"isotropic", "space"}
        ``"space"`` shifts only the spatial part of the frequency and leaves the temporal part standard normal, for
        solutions that oscillate in space and only decay in time.
    """

    neurons: int
    mu: tuple[float, float]
    groups: int | None = None
    shift: Literal["isotropic", "space"] = "isotropic"

    def __post_init__(self) -> None:
        _check(self)
        if self.groups is not None:
            check_count("groups", self.groups)
            if self.groups > self.neurons:
                raise ProblemError(
                    f"groups must not exceed neurons; got {self.groups} groups of {self.neurons} neurons"
                )
        if self.shift not in ("isotropic", "space"):
            raise ProblemError(f'shift must be "isotropic" or "space"; got {self.shift!r}')

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        """Draw directions, then perturbations, then phases uniform on [0, 2 pi)."""
        if self.shift == "space" and (place.time_axis is None or place.dimension == 1):
            raise ProblemError('shift="space" needs a domain with time, as in fs.Interval(0, 1) * fs.Time(0, 1)')
        mu = magnitudes(self.neurons, self.mu, self.groups)
        directions = rng.standard_normal((self.neurons, place.dimension))
        if self.shift == "space":
            directions[:, place.time_axis] = 0.0
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        perturbations = rng.standard_normal((self.neurons, place.dimension))
        phases = rng.uniform(0.0, 2.0 * np.pi, self.neurons)
        return RidgeBasis(mu[:, None] * directions + perturbations, phases, COSINE)


def magnitudes(neurons: int, mu: tuple[float, float], groups: int | None = None) -> FloatArray:
    """The shift or scale of each neuron, shape ``(neurons,)``: linear over `mu`, or in equal groups.

    Neuron m of M (counted from one) belongs to group ``ceil(m K / M)`` of K. A single neuron or group has the
    smallest magnitude.
    """
    levels = np.linspace(mu[0], mu[1], groups or neurons)
    if groups is None:
        return levels
    m = np.arange(1, neurons + 1)
    return levels[-(-m * groups // neurons) - 1]


def _check(family: Any) -> None:
    check_count("neurons", family.neurons)
    try:
        low, high = (float(value + 0) for value in family.mu)  # + 0 refuses text that looks like a number
    except (TypeError, ValueError):
        raise ProblemError(f"mu must be a pair (smallest, largest); got {family.mu!r}") from None
    if not (np.isfinite(low) and np.isfinite(high) and 0 <= low <= high):
        raise ProblemError(f"mu must be (smallest, largest) with 0 <= smallest <= largest; got {family.mu!r}")
    object.__setattr__(family, "mu", (low, high))


def check_count(name: str, value: Any, least: int = 1) -> None:
    """Refuse anything but a whole number that is large enough."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise ProblemError(f"{name} must be a whole number, at least {least}; got {value!r}")


@final
@dataclass(frozen=True)
class Each(Family):
    """Features of a family for every unknown of a system, drawn separately for each.

    Parameters
    ----------
    family : Family
        Makes the features of one unknown.
    scales : tuple of float
        Factors of the features, one for each unknown: the relative sizes of the unknowns.
    """

    family: Family
    scales: tuple[float, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.family, Family) or self.family.satisfies_equation:
            raise ProblemError(f"family must be one for a single unknown, such as fs.Band; got {self.family!r}")

    @property
    def neurons(self) -> int:  # type: ignore[override]
        """Number of features of all unknowns."""
        return len(self.scales) * self.family.neurons

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        """Draw from the family once for each unknown."""
        number = len(self.scales)
        if number == 1:
            return self.family._draw(place, rng)
        return JoinedBasis(
            [Component(self.family._draw(place, rng), i, number, scale) for i, scale in enumerate(self.scales)]
        )


def for_unknowns(family: Family, scales: np.ndarray) -> Family:
    """A family for as many unknowns as there are scales; itself if there is one."""
    return family if len(scales) == 1 else Each(family, tuple(float(scale) for scale in scales))


@final
@dataclass(frozen=True, repr=False)
class Joined(Family):
    """The features of several families together.

    For example Trefftz functions, which fit the conditions, and a band around each frequency of the right-hand side:
    ``Joined([Characteristic(300), Band(40, widths=(3, 3), center=(75, 75))])``.

    Parameters
    ----------
    families : sequence of Family
        At least one.
    """

    families: Sequence[Family]

    def __post_init__(self) -> None:
        try:
            families = tuple(self.families)
        except TypeError:
            families = ()
        if not families or not all(isinstance(family, Family) for family in families):
            raise ProblemError(
                "families must be a sequence such as [fs.Characteristic(200), fs.Band(50, (3, 3))]; got "
                f"{self.families!r}"
            )
        object.__setattr__(self, "families", families)

    def __repr__(self) -> str:
        """The call that makes it, for reports."""
        return f"Joined([{', '.join(map(repr, self.families))}])"

    @property
    def neurons(self) -> int:  # type: ignore[override]
        """Number of features of all families."""
        return sum(family.neurons for family in self.families)

    @property
    def satisfies_equation(self) -> bool:
        """Whether the features of every family do."""
        return all(family.satisfies_equation for family in self.families)

    @property
    def parts(self) -> tuple[Family, ...]:
        """The parts of every family."""
        return tuple(part for family in self.families for part in family.parts)

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        """Draw from each family in turn."""
        return JoinedBasis([part._draw(place, rng) for part in self.parts])


@final
@dataclass(frozen=True, repr=False)
class Band(Family):
    """``cos(w x + b)`` with the frequencies w spread evenly over a band, one half-width for each axis.

    A mean shift with a uniform instead of a normal perturbation: the frequencies are the points of a low-discrepancy
    sequence, which covers the band without gaps or clusters.

    Parameters
    ----------
    neurons : int
    widths : sequence of float
        Half-width of the band along each axis: angular frequencies from ``-width`` to ``width``. With a center they
        may be zero, for that single frequency.
    core : sequence of float, optional
        Half-widths of a box inside the band that is filled to its corners. Between `core` and `widths` the corners are
        rounded, because frequencies that are extreme along several axes at once are hardly ever needed. By default the
        whole box is filled.
    center : sequence of float, optional
        The middle of the band; zero by default. A band around another frequency does not contain the mirror image that
        a cosine needs to form its sine, so each frequency then occurs twice, a quarter of a period apart.
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
        """The call that makes it with four digits of the frequencies, for reports."""
        core = "" if self.core is None else f", core={_short(self.core)}"
        center = "" if self.center is None else f", center={_short(self.center)}"
        return f"Band({self.neurons}, widths={_short(self.widths)}{core}{center})"

    def _draw(self, place: Place, rng: np.random.Generator) -> Basis:
        """Draw the frequencies, then phases uniform on [0, 2 pi), measured from the place's center."""
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
    """The highest frequency along each axis: the widths of a band, or the frequencies of the basis."""
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


def as_numbers(name: str, values: Any) -> tuple[float, ...]:
    """A sequence of numbers, one for each axis, as floats."""
    try:
        return tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise ProblemError(f"{name} must be a sequence of numbers, one for each axis; got {values!r}") from None


def _as_center(values: Sequence[float], dimension: int) -> tuple[float, ...]:
    center = as_numbers("center", values)
    if len(center) != dimension or not np.all(np.isfinite(center)):
        raise ProblemError(f"center must have one finite number for each of {dimension} axes; got {values!r}")
    return center


def _as_widths(name: str, values: Sequence[float], *, zero: bool) -> tuple[float, ...]:
    widths = as_numbers(name, values)
    if not widths or not all(np.isfinite(w) and (w > 0 or (zero and w == 0)) for w in widths):
        raise ProblemError(f"{name} must be positive, one for each axis; got {values!r}")
    return widths


# ---- Width and density of a band for a number of digits

# Features on a domain of length L with frequencies spaced 2 pi / (T L) are a Fourier extension with factor T. We choose
# the factor that needs the fewest features. Close to 1, further features bring no digits.
_FACTORS = np.linspace(1.2, 5.0, 153)
# Convergence relative to the one-dimensional theory on every axis, by dimension up to three; measured, see
# docs/method.md.
_GAIN = {1: 1.2, 2: 1.5, 3: 2.0}
# The least band, in periods across the domain: even constant data make solutions that vary. In three and more
# dimensions, where that costs most, it is zero until a round shows more.
_LEAST_PERIODS = {1: 0.75, 2: 0.75}
# Factors of narrow bands around a frequency; larger ones would need large coefficients for amplitudes that vary.
_CLOUD_FACTORS = np.linspace(1.2, 14.0, 513)
# Measured: 1.07 to 1.16 for waves of constant amplitude in one to three dimensions, 0.87 for one like exp(x).
_CLOUD_GAIN = {1: 0.85, 2: 1.0, 3: 1.0}
# The fewest features of a band.
_FEWEST = 8
# Samples for the volume of a band with rounded corners.
_COUNTED = 4096


@dataclass(frozen=True, eq=False)
class Layout:
    """A band of features for one round, and its extension factor.

    With this factor, frequencies are so many times denser than the length of the domain requires.
    """

    family: Band
    factor: float

    @property
    def widths(self) -> FloatArray:
        """Half-width of the band along each axis."""
        return np.array(self.family.widths)


def least_core(frequencies: FloatArray, lengths: FloatArray) -> FloatArray:
    """The frequencies ``(d,)`` of the first band, given the highest that were found along each axis."""
    least = _LEAST_PERIODS.get(len(lengths), 0.0)
    return np.maximum(frequencies, least * 2 * np.pi / lengths)


def layout(core: FloatArray, lengths: FloatArray, decades: float, most: int | None = None) -> Layout:
    """The smallest band that should reach ``10**-decades`` for a solution with frequencies in the box `core`.

    A Fourier extension with factor T converges like ``E(T)**-n``, ``E(T) = cot(pi / (4 T))**2``, in the number n of
    frequencies per axis and sign that exceed the ``T core L / (2 pi)`` needed to resolve at all. A large T converges
    faster, a small T resolves cheaper; the T with the fewest neurons is taken.

    The `core` and the `lengths` of the domain are ``(d,)`` arrays. With `most`, the same band has at most so many
    neurons.
    """
    filled = _fill(core, lengths, decades, _GAIN, _FACTORS, _FEWEST)
    if most is None or most >= filled.family.neurons:
        return filled
    return replace(filled, family=replace(filled.family, neurons=most))


def cloud(center: FloatArray, core: FloatArray, lengths: FloatArray, decades: float) -> Layout:
    """The smallest band around `center` that should hold frequencies in the box ``center +- core`` to so many digits.

    Few frequencies, as of a single wave, are made with a large extension factor: a narrow band, in which the features
    hardly differ but by slowly varying amplitudes. Around zero a cosine and its mirror image are one frequency;
    elsewhere there are two functions to each.
    """
    away = tuple(center) if center.any() else None
    return _fill(core, lengths, decades, _CLOUD_GAIN, _CLOUD_FACTORS, 2, away)  # at least a cosine and a sine


def _fill(
    core: FloatArray,
    lengths: FloatArray,
    decades: float,
    gains: dict[int, float],
    factors: FloatArray,
    fewest: int,
    center: tuple[float, ...] | None = None,
) -> Layout:
    """The smallest band around a frequency, with the best of some factors."""
    extra = decades * np.log(10) / (gains[min(len(core), 3)] * np.log(1 / np.tan(np.pi / (4 * factors)) ** 2))
    resolved = core * lengths / (2 * np.pi)
    per_axis = factors * resolved[:, None] + extra
    best = int(np.argmin(np.prod(per_axis, axis=0)))
    widths = core + (extra[best] / factors[best]) * 2 * np.pi / lengths
    number = float(np.prod(2 * per_axis[:, best])) * _rounded_share(core, widths)
    neurons = max(int(number if center is None else 2 * number), fewest)
    return Layout(Band(neurons, tuple(widths), tuple(core), center), float(factors[best]))


def _rounded_share(core: FloatArray, widths: FloatArray) -> float:
    """Volume of the band with rounded corners, relative to its box."""
    unit = unit_stream(len(core), np.random.default_rng(0), "low-discrepancy")(_COUNTED)
    return float(np.mean(in_rounded_box((2 * unit - 1) * widths, core, widths)))
