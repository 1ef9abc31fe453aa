"""The frequency band of a problem, axis by axis, and what set it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from fspielm.arrays import ComplexArray, FloatArray, NumberArray, real_parts
from fspielm.errors import ProblemError
from fspielm.estimate.amounts import ALIKE, CLEARLY, FEW, NEAR, POINTS, SITES, SMALL, ZOOMS
from fspielm.estimate.band_data import (
    RIGHT_HAND_SIDE,
    ROUGH_RATIO,
    THRESHOLD,
    DataBand,
    data_bands,
    data_sizes,
    line_band,
)
from fspielm.estimate.let_through import NEGLIGIBLE, Frozen, freeze, roots_of
from fspielm.estimate.stability import affordable, find_hidden
from fspielm.geometry.boundary import Sites
from fspielm.numerics.tolerances import CLOSE, PROBES, TINY
from fspielm.problem.operator import FieldCoefficient, Operator, cache_by_object
from fspielm.problem.problem import Problem
from fspielm.problem.scattering.open_domain import has_data, highest_wavenumber

# ---- The highest frequency of a Fourier extension that represents samples along lines

# The tolerance relative to the largest line, and the largest coefficients relative to the samples.
TOLERANCE = 1e-8
_GROWTH = 30.0
# The resolution of frequencies, times the length of a line.
_RESOLUTION = 6.0
# An extension of a line by the factor 1 + share represents a band with frequencies up to `excess` beyond it, where
# excess * share is this.
_EXCESS_TIMES_SHARE = 22.0
_LARGEST_SHARE = _EXCESS_TIMES_SHARE / _RESOLUTION
# The fewest samples for each function.
_SAMPLES = 2.2
# The most frequencies to try, as the work grows with their cube. Beyond, this factor leads from the threshold to the
# tolerance, as for a bump with a Gaussian spectrum.
_MOST_FREQUENCIES = 400
_FURTHER = float(np.sqrt(np.log(TOLERANCE) / np.log(THRESHOLD)))
# Rates of decay, times the length of a line.
_RATES = np.geomspace(0.3, 3e3, 24)


def extension_band(
    samples: FloatArray, lengths: FloatArray, guess: float, tolerance: float = TOLERANCE, *, decaying: bool = False
) -> float:
    """The highest frequency that samples contain to many digits, up to the resolution of the lines.

    Unlike a windowed spectrum, it includes the ends of the lines. The samples ``(lines, n)`` are at equispaced points
    of each line, both ends included; `guess` is the highest frequency to a few digits, `tolerance` the residual that
    may remain as a share of the largest line. Exponentials that decay along the lines are left out if `decaying`.
    """
    scale = float(np.linalg.norm(samples, axis=1).max(initial=0.0))
    if scale == 0.0 or tolerance >= 1.0:
        return 0.0
    reach = guess * float(lengths.max())
    share = min(_EXCESS_TIMES_SHARE / max(ALIKE * reach, TINY), _LARGEST_SHARE)
    excess = _EXCESS_TIMES_SHARE / share
    # enough for a sharp end of the band, or else for the tail of a bump
    narrow, wide = reach + 1.5 * excess, 1.2 * reach + 24.0 * np.sqrt(reach) + 60.0
    if wide * (1 + share) > 2 * np.pi * _MOST_FREQUENCIES:
        return _FURTHER * guess
    found = _first_enough(samples / scale, narrow, share, tolerance, decaying)
    if np.any(np.isinf(found)):
        found = np.minimum(_first_enough(samples / scale, wide, share, tolerance, decaying), wide)
    return float(np.max(np.maximum(found - 0.5 * excess, 0.0) / lengths))


def _first_enough(samples: FloatArray, limit: float, share: float, tolerance: float, decaying: bool) -> FloatArray:
    """For each line, of length one, the frequency with which the residual meets the tolerance; infinite if none does.

    One factorisation serves all frequencies, which are nested; the penalty on coefficients is part of the rows.
    """
    step = 2 * np.pi / (1 + share)
    frequencies = step * np.arange(int(limit / step) + 2)
    stride = max(int(samples.shape[1] / max(_SAMPLES * 2 * len(frequencies), 200)), 1)
    values = samples[:, ::stride]
    places = np.linspace(0.0, 1.0, samples.shape[1])[::stride] - 0.5
    waves = np.outer(places, frequencies)
    columns = np.stack([np.cos(waves), np.sin(waves)], axis=2).reshape(len(places), -1)[:, 1:]
    columns[:, 0] = 1.0  # the sine of frequency zero makes room for its cosine
    given = np.exp(-np.outer(places + 0.5, _RATES)) if decaying else np.empty((len(places), 0))
    columns = np.concatenate([given, columns], axis=1)
    penalty = tolerance / _GROWTH * np.sqrt(len(places)) * np.eye(columns.shape[1])
    Q, _ = scipy.linalg.qr(np.concatenate([columns, penalty]), mode="economic", check_finite=False)
    target = np.concatenate([values.T, np.zeros((columns.shape[1], len(values)))])
    parts = Q.T @ target
    rest = np.sum((target - Q @ parts) ** 2, axis=0)
    # the residual with the first j functions, for every j
    squares = np.concatenate([np.cumsum(parts[::-1] ** 2, axis=0)[::-1], np.zeros((1, len(values)))])
    enough = np.sqrt(squares + rest)[given.shape[1] :] <= tolerance / np.sqrt(stride)
    counts = np.where(enough.any(axis=0), np.argmax(enough, axis=0), -1)
    return np.where(counts >= 0, frequencies[counts // 2], np.inf)


# ---- Waves of the equation: the real zeros of its symbol


def symbol_band(operator: Operator, sites: Sites, bands: FloatArray, also: Sites | None = None) -> FloatArray:
    """The highest frequency ``(d,)`` along each axis of a wave of the equation.

    With frozen coefficients, a plane wave ``exp(i w x)`` satisfies the homogeneous equation where the symbol
    ``P(w) = sum c (i w)^alpha`` is zero: the circle of radius kappa for Helmholtz, the cone for waves. For every
    axis the symbol is solved for that component while the others run over their own data's bands; roots that
    oscillate faster than they grow or decay count, with their real part. Variable coefficients are frozen at those
    `sites` where they are extreme, and at all of `also`.
    """
    coefficients = np.stack([term.at(sites) for term in operator.terms])
    # extremes are enough: one column for each term's smallest and largest value
    parts = real_parts(coefficients)
    extremes = np.unique(np.concatenate([at for part in parts for at in (part.argmin(axis=1), part.argmax(axis=1))]))
    coefficients = coefficients[:, extremes]
    if also is not None:
        coefficients = np.hstack([coefficients, np.stack([term.at(also) for term in operator.terms])])
    units = 1 / np.ptp(sites.points, axis=0)
    return np.array([_along(operator, coefficients, bands, axis, units[axis]) for axis in range(operator.dimension)])


def _along(operator: Operator, coefficients: NumberArray, bands: FloatArray, axis: int, unit: float) -> float:
    """The band along one axis, found in multiples of `unit`, so that small coefficients may be neglected."""
    along = np.arange(operator.dimension) == axis
    ticks = [np.zeros(1) if is_axis else np.linspace(-w, w, FEW + 1) for is_axis, w in zip(along, bands, strict=True)]
    w = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1).reshape(-1, len(bands))
    degree = max(term.orders[axis] for term in operator.terms)
    if degree == 0:
        return 0.0
    # polynomial coefficients in the component along `axis`: (degree + 1, frozen, grid)
    polynomial = np.zeros((degree + 1, coefficients.shape[1], len(w)), dtype=complex)
    for term, values in zip(operator.terms, coefficients, strict=True):
        factor = np.prod((1j * w) ** np.where(along, 0, term.orders), axis=1)
        polynomial[term.orders[axis]] += values[:, None] * factor * (1j * unit) ** term.orders[axis]
    return unit * _largest_real_part(polynomial.reshape(degree + 1, -1))


def _largest_real_part(polynomials: ComplexArray) -> float:
    largest = 0.0
    for column in polynomials.T:
        used = np.flatnonzero(np.abs(column) > NEGLIGIBLE * np.abs(column).max())
        if used.size < 2:
            continue
        roots = np.roots(column[used[-1] :: -1])
        waves = roots[np.abs(roots.real) > np.abs(roots.imag)]
        largest = max(largest, float(np.abs(waves.real).max(initial=0.0)))
    return largest


# ---- The highest frequencies of waves with variable coefficients


def fastest_places(problem: Problem, bands: FloatArray) -> Sites:
    """The places, one or two for each axis, where a wave along it has the highest frequency.

    They differ from the extremes of single coefficients: a quotient counts, such as that of k^2 and diffusivity. Waves
    have all of the frequencies `bands` along the other axes, or none.
    """
    points, frozen = spread(problem)
    lengths = np.ptp(problem.domain.bounding_box, axis=0)
    rng = np.random.default_rng(0)  # for inspection only
    found = []
    for axis in range(problem.dimension):
        for others in (np.zeros_like(bands), bands) if bands.any() else (bands,):
            search = _search_along(axis, others, 1 / lengths[axis])
            values = search(frozen)
            place, best = points[values.argmax()], values.max()
            size = lengths * len(points) ** (-1 / problem.dimension)
            for _ in range(ZOOMS):
                near = place + size * rng.uniform(-1, 1, (NEAR, problem.dimension))
                near = near[problem.domain.contains(near)]
                closer = search(freeze(problem.determinant, Sites(near))) if len(near) else np.zeros(0)
                if closer.max(initial=0.0) > best:
                    place, best = near[closer.argmax()], closer.max()
                size = size / FEW
            found.append(place)
    return Sites(np.unique(np.array(found), axis=0))


def waves_at(problem: Problem, bands: FloatArray, number: int = 0) -> tuple[FloatArray, FloatArray]:
    """Points all over the domain, and the highest frequency of a wave along each axis there, both ``(n, d)``.

    At least a `number` of points where coefficients are expressions; callables may be slow.
    """
    points, frozen = _spread_widely(problem, number)
    units = 1 / np.subtract(*reversed(problem.domain.bounding_box))
    rivals = (np.zeros_like(bands), bands) if bands.any() else (bands,)
    along = [[_search_along(axis, others, units[axis])(frozen) for others in rivals] for axis in range(len(bands))]
    return points, np.stack([np.max(each, axis=0) for each in along], axis=1)


def decays_at(problem: Problem, number: int = 0) -> tuple[FloatArray, FloatArray]:
    """Points as of `waves_at`, and how fast solutions grow or decay along each axis there at most, both ``(n, d)``."""
    points, frozen = _spread_widely(problem, number)
    units, none = 1 / np.subtract(*reversed(problem.domain.bounding_box)), np.zeros(problem.dimension)
    roots = [_roots_along(frozen, axis, none, units[axis]) for axis in range(problem.dimension)]
    with np.errstate(invalid="ignore"):
        each = [np.where(np.abs(own.real) >= np.abs(own.imag), np.abs(own.real), 0.0).max(axis=1) for own in roots]
    return points, np.stack(each, axis=1)


def _spread_widely(problem: Problem, number: int) -> tuple[FloatArray, Frozen]:
    points, frozen = spread(problem)
    is_enough = number <= len(points) or not _is_written(problem.determinant)
    return (points, frozen) if is_enough else _spread(problem, number)


@cache_by_object
def spread(problem: Problem) -> tuple[FloatArray, Frozen]:
    """Points all over the domain, and the operator at them."""
    return _spread(problem, FEW * POINTS if _is_written(problem.determinant) else POINTS)  # callables may be slow


def _spread(problem: Problem, number: int) -> tuple[FloatArray, Frozen]:
    points = problem.domain.sample(number, np.random.default_rng(0), "low-discrepancy")  # for inspection only
    return points, freeze(problem.determinant, Sites(points))


def _is_written(operator: Operator) -> bool:
    """Whether all coefficients are expressions."""
    fields = [term.coefficient for term in operator.terms if callable(term.coefficient)]
    return all(isinstance(field, FieldCoefficient) and field.field.is_formula for field in fields)


def _search_along(axis: int, others: FloatArray, unit: float) -> Callable[[Frozen], FloatArray]:
    """A function for the highest frequency of a wave along an axis at each site, with `others` along the rest."""

    def highest(frozen: Frozen) -> FloatArray:
        roots = _roots_along(frozen, axis, others, unit)
        with np.errstate(invalid="ignore"):
            waves = np.abs(roots.imag) > np.abs(roots.real)
        return np.asarray(np.where(waves, np.abs(roots.imag), 0.0).max(axis=1))

    return highest


def _roots_along(frozen: Frozen, axis: int, others: FloatArray, unit: float) -> ComplexArray:
    """The exponents along an axis at each site, ``(n, degree)``, with frequencies `others` along the rest."""
    n, degree = len(frozen.coefficients), int(frozen.orders[:, axis].max(initial=0))
    if not degree:
        return np.zeros((n, 1), dtype=complex)
    base = 1j * np.where(np.arange(len(others)) == axis, 0.0, others)
    direction = np.eye(len(others))[axis]
    polynomials = frozen.along(np.broadcast_to(base, (n, len(base))), np.broadcast_to(direction, (n, len(base))))
    return roots_of(polynomials[:, : degree + 1], np.full(n, unit))


# ---- Waves caught in a well, where k^2 is positive in some place and negative around it

# The frequencies that every band has beyond its own, in radians over the domain.
_BEYOND = 25.0


def well_band(problem: Problem) -> FloatArray:
    """The frequencies along each axis of waves caught in a well, zero where there is none.

    For ``a u_xx + ... + c u`` with ``k^2 = c / a``. Such a wave has the highest wavenumber k in the middle and decays
    outside of where k^2 is zero, at distance r, like ``exp(-k x^2 / 2 r)``, whose spectrum decays as
    ``exp(-w^2 r / 2 k)``. A basis of lower frequencies cannot represent it, and shows no resonance.
    """
    operator, domain = problem.determinant, problem.domain
    found = np.zeros(problem.dimension)
    if operator.is_constant or operator.order != 2 or domain.time is not None:
        return found
    lower, upper = domain.bounding_box
    lengths = upper - lower
    try:
        _, everywhere = spread(problem)
        each = [_square_of(everywhere, axis) for axis in range(problem.dimension)]
        if not any(np.any(squares > 0) and np.any(squares < 0) for squares in each):
            return found
        middle = fastest_places(problem, np.zeros(problem.dimension))
        for axis in range(problem.dimension):
            squares = _square_of(freeze(operator, middle), axis)
            place = middle.points[squares.argmax()]
            highest = float(np.sqrt(max(squares.max(), 0.0)))
            half = _half_width(problem, place, axis)
            # a well that is clearly narrower than its lowest wave catches none
            if CLEARLY * highest * half >= problem.dimension:
                reach = np.sqrt(highest**2 + 2 * -np.log(CLOSE) * highest / half)
                found[axis] = max(reach - _BEYOND / lengths[axis], 0.0)
    except ProblemError:  # a coefficient has no value there
        return np.zeros(problem.dimension)
    return found


def _square_of(frozen: Frozen, axis: int) -> FloatArray:
    """The square of the wavenumber along an axis, at each site; negative where waves decay."""
    twice = np.zeros(frozen.orders.shape[1], dtype=np.int_)
    twice[axis] = 2
    second = frozen.coefficients[:, np.all(frozen.orders == twice, axis=1)].sum(axis=1)
    plain = frozen.coefficients[:, ~frozen.orders.any(axis=1)].sum(axis=1)
    return np.asarray(np.divide(plain, second, out=np.zeros_like(plain), where=second != 0).real)


def _half_width(problem: Problem, place: FloatArray, axis: int) -> float:
    """Half of the length along an axis on which the square is positive; zero if it reaches the boundary."""
    lower, upper = problem.domain.bounding_box
    sides = []
    for end in (lower[axis], upper[axis]):
        line = np.tile(place, (PROBES, 1))
        line[:, axis] = np.linspace(place[axis], end, PROBES)
        outside = np.flatnonzero(~problem.domain.contains(line))
        line = line[: outside[0]] if outside.size else line
        if not len(line):
            return 0.0
        turned = np.flatnonzero(_square_of(freeze(problem.determinant, Sites(line)), axis) < 0)
        if not turned.size:
            return 0.0
        sides.append(abs(float(line[turned[0], axis] - place[axis])))
    return 0.5 * sum(sides)


# ---- The frequency band of a problem

# Between these shares of the largest amplitude the frequency of a smooth function rises by half at most, but threefold
# where amplitudes fall like its fourth power.
_POWER_SHARES = 1e-3, THRESHOLD
# The sources of a band that are not data.
OF_THE_PROBLEM = (
    "the equation",
    "a wave caught in a well of its coefficients",
    "a condition that lets it through",
)


@dataclass(frozen=True, eq=False)
class Bands:
    """Highest frequencies that the equation and its data contain.

    Attributes
    ----------
    frequencies : (d,) array
        Along each axis.
    sources : tuple of str
        The source of each: a datum's name, ``"the equation"``, ``"a wave caught in a well of its coefficients"``, ``"a
        condition that lets it through"``, ``"data that do not oscillate"`` or ``"constant data"``.
    unsettled : tuple of str
        Data without a clear highest frequency (jumps, kinks): the solution is hardly smooth.
    data : tuple of DataBand
        The band of each datum along each axis that it varies along.
    """

    frequencies: FloatArray
    sources: tuple[str, ...]
    unsettled: tuple[str, ...]
    data: tuple[DataBand, ...] = ()

    def lines(self, coordinates: Sequence[object]) -> list[str]:
        """The band along each axis and its source, in words."""
        found = zip(coordinates, self.frequencies, self.sources, strict=True)
        return [f"{symbol}: {frequency:.4g}, set by {source}" for symbol, frequency, source in found]


def infer_bands(problem: Problem, rng: np.random.Generator) -> Bands:
    """Infer the band from the spectra of the data, joined with the waves of the equation.

    At the enforced deadline it takes the bands as they are; the rounds show what they leave out.
    """
    if problem.domain.is_unbounded and not has_data(problem):  # incident fields have the waves of the equation
        highest = highest_wavenumber(problem)
        return Bands(np.full(problem.dimension, highest), (OF_THE_PROBLEM[0],) * problem.dimension, ())
    return _with_waves(problem, data_bands(problem, rng), rng)


def refine_bands(problem: Problem, bands: Bands, rng: np.random.Generator) -> Bands:
    """The bands to eight digits of the solution instead of five of each datum.

    For features of a single solve: it takes longer, but no later round adds frequencies.
    """
    sizes = data_sizes(problem, rng)
    largest, last = max(sizes.values()) or 1.0, problem.dimension - 1
    highest = np.array([max((b.frequency for b in bands.data if b.axis == i), default=0.0) for i in range(last + 1)])
    sites = Sites(problem.domain.sample(SITES, rng, "low-discrepancy"))
    # decay in time needs no frequencies
    decaying = problem.domain.time is not None and symbol_band(problem.determinant, sites, highest)[last] == 0.0
    refined = list(bands.data)
    for place, band in enumerate(bands.data):
        if band.settled and band.samples is not None:
            guess = band.frequency / band.slant
            tolerance = TOLERANCE / max(sizes[band.source] / largest, TOLERANCE)
            found = extension_band(*band.samples, guess, tolerance, decaying=decaying and band.axis == last)
            refined[place] = replace(band, frequency=band.slant * max(guess, found))
    return _with_waves(problem, refined, rng)


def bands_of_conditions(problem: Problem, bands: Bands, rng: np.random.Generator) -> Bands:
    """The bands of the conditions' data only, joined with the waves of the equation."""
    return _with_waves(problem, [band for band in bands.data if not band.source.startswith(RIGHT_HAND_SIDE)], rng)


def without_short_lines(problem: Problem, bands: Bands, shortest: float, rng: np.random.Generator) -> Bands:
    """The bands without data along lines shorter than `shortest`, such as small pieces of the boundary."""
    long = [band for band in bands.data if band.samples is None or float(np.max(band.samples[1])) >= shortest]
    return bands if len(long) == len(bands.data) else _with_waves(problem, long, rng)


def settled_bands(problem: Problem, bands: Bands, rng: np.random.Generator) -> Bands:
    """The bands of data without jumps and kinks of any order, joined with the waves of the equation."""
    return _with_waves(problem, [_without_kinks(band) for band in bands.data if band.settled], rng)


def _without_kinks(band: DataBand) -> DataBand:
    """Cut the band as for jumps if amplitudes fall like a power, as some derivative jumps along the lines."""
    if band.samples is None:
        return band
    lower, upper = (line_band(*band.samples, share).frequency for share in _POWER_SHARES)
    if upper <= ROUGH_RATIO * lower:
        return band
    return replace(band, frequency=band.slant * line_band(*band.samples, SMALL).frequency)


def _with_waves(problem: Problem, data: list[DataBand], rng: np.random.Generator) -> Bands:
    frequencies = np.zeros(problem.dimension)
    sources = ["constant data"] * problem.dimension
    for band in data:
        if band.frequency > frequencies[band.axis]:
            frequencies[band.axis] = band.frequency
            sources[band.axis] = band.source
        elif band.varies and sources[band.axis] == "constant data":
            sources[band.axis] = "data that do not oscillate"
    sites = Sites(problem.domain.sample(SITES, rng, "low-discrepancy"))
    waves = _waves(problem, sites, frequencies)
    lengths = np.ptp(problem.domain.bounding_box, axis=0)
    passing = find_hidden(problem).affordable(lengths)
    caught = affordable(well_band(problem), lengths)
    for found, source in zip((waves, caught, passing), OF_THE_PROBLEM, strict=True):
        for axis in np.flatnonzero(found > frequencies):
            frequencies[axis] = found[axis]
            sources[axis] = source
    unsettled = tuple(dict.fromkeys(band.source for band in data if not band.settled))
    return Bands(frequencies, tuple(sources), unsettled, tuple(data))


def _waves(problem: Problem, sites: Sites, frequencies: FloatArray) -> FloatArray:
    """The waves of the equation; with variable coefficients, those of the fastest places unless they are alike."""
    waves = symbol_band(problem.determinant, sites, frequencies)
    if problem.determinant.is_constant:
        return waves
    if problem.determinant.order == 1:
        # where a stream turns, frozen coefficients have unbounded frequencies across it
        return waves if problem.domain.time is not None else np.zeros_like(waves)
    try:
        fastest = symbol_band(problem.determinant, sites, frequencies, fastest_places(problem, frequencies))
    except ProblemError:  # a coefficient has no value at one of many points, which is reported where it is needed
        return waves
    return np.where(fastest > (1 + ALIKE) * waves, fastest, waves)
