"""The bands of a problem's data (right-hand side, boundary and initial values) along every axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from time import perf_counter
from typing import TypeAlias

import numpy as np
import sympy as sp

from fspielm.arrays import BoolArray, FloatArray, NumberArray, real_parts, safe_rms
from fspielm.errors import ProblemError
from fspielm.estimate.amounts import FEW, MANY, POINTS, SAMPLE, SEVERAL, SMALL, VALUES
from fspielm.expr.functions import Field
from fspielm.geometry.boundary import BoundaryPart, Mask, Sites
from fspielm.geometry.domain import Domain, chord_ends, chord_lines
from fspielm.geometry.time import SpaceTime
from fspielm.numerics.sampling import reject, unit_stream
from fspielm.numerics.tolerances import BISECTIONS, CLOSE, ROUNDED, SAME, TINY
from fspielm.problem.changes import mask_borders, value_jumps
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation
from fspielm.problem.substitutions import levels_in
from fspielm.resources import current_deadline

# ---- The size of each datum of a problem

RIGHT_HAND_SIDE = "right-hand side"


def data_sizes(problem: Problem, rng: np.random.Generator) -> dict[str, float]:
    """The size of the slowly varying solution that each datum by itself would cause, by name.

    Orders of magnitude only, to tell data from rounding where data should be zero.
    """
    lengths = np.ptp(problem.domain.bounding_box, axis=0)
    inside = Sites(problem.domain.sample(VALUES, rng, "low-discrepancy"))
    sizes = {}
    for relation in (*problem.equations, *problem.constraints):
        sites = inside if relation.region.kind == "domain" else relation.sample(VALUES, rng, "low-discrepancy")
        source, terms = source_of(relation, problem), relation.operator.terms
        strength = max(float(np.abs(term.at(sites)).max() / np.prod(lengths**term.orders)) for term in terms)
        values = relation.value.checked(sites.points, f"the data of {source!r}", sites.normals)
        sizes[source] = safe_rms(values) / strength if strength > 0 else 0.0
    return sizes


def source_of(relation: Relation, problem: Problem) -> str:
    """The name of the datum of a relation."""
    if relation.region.kind != "domain":
        return relation.name
    return RIGHT_HAND_SIDE if len(problem.equations) == 1 else f"{RIGHT_HAND_SIDE} of {relation.name}"


# ---- The highest frequency of samples along lines

# Frequencies below this share of the largest amplitude do not count: later rounds add what is missing, while a lower
# threshold would follow the slow tails of windows and of rounding.
THRESHOLD = 1e-5
# Unlimited frequencies above this share are noise: the tail of a jump falls below it.
NOISE_THRESHOLD = 1e-2
# From each of these thresholds to the next, jumps and kinks (amplitudes like 1/w and 1/w^2) raise the band tenfold and
# threefold, smooth functions by half at most; a jump of the second derivative (twofold) can still be resolved.
_DECAY_THRESHOLDS = (NOISE_THRESHOLD, 1e-3, 1e-4, THRESHOLD)
ROUGH_RATIO = 2.5
# The side lobes of this Kaiser window lie far below the threshold.
_BETA = 24.0


@dataclass(frozen=True)
class LineBand:
    """The band of a set of lines."""

    frequency: float  # the highest frequency with an amplitude above the threshold, less the width of the window
    settled: bool  # whether it lies below half of the frequencies that the samples resolve
    rough: bool  # whether amplitudes decay no faster than the square of the frequency, as those of jumps and kinks


def line_band(samples: FloatArray, lengths: FloatArray, threshold: float = THRESHOLD) -> LineBand:
    """The band of samples ``(lines, n)`` at equispaced points of lines, both ends included, of lengths ``(lines,)``.

    Frequencies below the share `threshold` of the largest amplitude on any line do not count.
    """
    n = samples.shape[1]
    # with zero padding, to read frequencies finer than one period per line
    amplitudes = np.abs(np.fft.rfft(samples * np.kaiser(n, _BETA), FEW * n, axis=1))
    largest = amplitudes.max(initial=0.0)
    if largest == 0.0:
        return LineBand(0.0, True, False)
    per_bin = 2 * np.pi / (lengths * FEW * n / (n - 1))

    def highest(share: float) -> tuple[float, int]:
        above = amplitudes > share * largest
        bins = np.where(above.any(axis=1), above.shape[1] - 1 - np.argmax(above[:, ::-1], axis=1), 0)
        return float(np.max(np.maximum(bins - _window_bins(n, share), 0) * per_bin)), int(bins.max())

    frequency, last = highest(threshold)
    decay = np.array([highest(share)[0] for share in _DECAY_THRESHOLDS])
    return LineBand(
        frequency,
        last < amplitudes.shape[1] // 2,
        bool(decay[0] > 0 and np.all(decay[1:] > ROUGH_RATIO * decay[:-1])),
    )


@cache
def _window_bins(n: int, threshold: float) -> int:
    """The number of bins over which the window spreads a single frequency, at the threshold."""
    amplitude = np.abs(np.fft.rfft(np.kaiser(n, _BETA), FEW * n))
    return int(np.flatnonzero(amplitude > threshold * amplitude[0])[-1])


# ---- Lines along the parts of a boundary, to sample data on

# Starts and ends in the unit cube of a part, each ``(lines, parameters)``.
Lines: TypeAlias = tuple[FloatArray, FloatArray]


def part_lines(constraint: Relation, part: BoundaryPart, parameter: int, rng: np.random.Generator) -> Lines:
    """Lines of a part's unit cube along one parameter, as long as the condition's mask holds.

    Lines do not cross corners or gaps of the part, where smooth data jump: each of its longest pieces has its own.
    """
    count = 1 if part.parameters == 1 else MANY
    jumps = value_jumps(constraint)
    if jumps.size:
        return _lines_between(constraint, part, np.concatenate([part.breaks, mask_borders(constraint), jumps]))
    masks = [mask for mask in (part.keep, constraint.mask) if mask is not None]
    if not masks:
        pieces = sorted(pairwise(part.breaks if parameter == 0 else (0.0, 1.0)), key=lambda piece: piece[0] - piece[1])
        low, high = np.repeat(pieces[:SEVERAL], count, axis=0).T
        starts = rng.random((len(low), part.parameters))
        ends = starts.copy()
        starts[:, parameter], ends[:, parameter] = low, high
        return starts, ends

    def mask(points: FloatArray) -> BoolArray:
        held: BoolArray = np.logical_and.reduce([mask(points) for mask in masks])
        return held

    stream = unit_stream(part.parameters, rng, "uniform")
    seeds = reject(stream, lambda unit: mask(part.place(unit).points), count, what=f"the condition {constraint.name!r}")
    return _masked_lines(mask, part, parameter, seeds)


def _lines_between(constraint: Relation, part: BoundaryPart, cuts: FloatArray) -> Lines:
    """The longest lines of a curve between cuts on which the condition holds, with a small gap at their ends."""
    low, high = np.sort(cuts)[:-1], np.sort(cuts)[1:]
    gap = SAME * (high - low)
    held = (high - low > SAME) & constraint.holds(part.place((0.5 * (low + high))[:, None]).points)
    longest = np.flatnonzero(held)[np.argsort(low[held] - high[held], kind="stable")[:SEVERAL]]
    return (low + gap)[longest, None], (high - gap)[longest, None]


def _masked_lines(mask: Mask, part: BoundaryPart, parameter: int, seeds: FloatArray) -> Lines:
    """Lines from each seed along one parameter, as far as the mask holds, by bisection."""
    ends = []
    for limit in (0.0, 1.0):
        inside = seeds[:, parameter].copy()
        step = limit - inside
        for _ in range(BISECTIONS):
            unit = seeds.copy()
            unit[:, parameter] = inside + step
            held = mask(part.place(unit).points)
            inside = np.where(held, unit[:, parameter], inside)
            step = np.where(held, np.minimum(np.abs(step), np.abs(limit - inside)) * np.sign(step), step / 2)
        end = seeds.copy()
        end[:, parameter] = inside
        ends.append(end)
    return ends[0], ends[1]


def sites_on_lines(part: BoundaryPart, lines: Lines, n: int) -> Sites:
    """`n` sites on each line of a part's unit cube, one line after the other."""
    return part.place(np.linspace(*lines, n, axis=1).reshape(-1, part.parameters))


def directions_of(part: BoundaryPart, lines: Lines) -> FloatArray:
    """The largest component of the unit tangent along each axis, over lines of a part."""
    points = sites_on_lines(part, lines, 201).points
    steps = np.diff(points.reshape(len(lines[0]), 201, -1), axis=1)
    lengths = np.maximum(np.linalg.norm(steps, axis=2, keepdims=True), TINY)
    return np.asarray(np.abs(steps / lengths).max(axis=(0, 1)))


# ---- The bands of a problem's data

# The shortest chord that is used, as a share of the longest.
_SHORTEST = 0.4
# Points among which extremes of the data are found; more for an expression, which is cheap to evaluate.
_SCOUTS = 2**13
_EXPRESSION_SCOUTS = 2**16
_MOST_SAMPLES = 2**15
# Where materials jump, data may; those have no band at any number of samples.
_MOST_SAMPLES_JUMPS = 2**12

# Functions with jumps that are not looked for.
_JUMPING = (sp.sign, sp.Heaviside, sp.floor, sp.ceiling, sp.frac, sp.Mod)

LineValues = Callable[[int], tuple[FloatArray, FloatArray]]
Ends = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class DataBand:
    """The highest frequency of one datum along one axis."""

    source: str  # ``"right-hand side"`` or the name of a condition's block
    axis: int
    frequency: float
    # False where finer sampling kept finding higher frequencies, or amplitudes decay too slowly: the datum has jumps or
    # kinks
    settled: bool
    noise: bool = False  # whether those higher frequencies are as strong as the low ones
    # values along lines (lines, n), and the lengths of the lines (lines,)
    samples: tuple[FloatArray, FloatArray] | None = field(default=None, compare=False, repr=False)
    slant: float = 1.0  # the largest component of those lines along the axis

    @property
    def varies(self) -> bool:
        """Whether the datum varies along the axis."""
        if self.samples is None:
            return True
        values, _ = self.samples
        return bool(np.any(np.ptp(values, axis=1) > ROUNDED * np.abs(values).max()))


@dataclass(frozen=True, eq=False)
class _Sampling:
    """The settings and the cache of sampling data."""

    rng: np.random.Generator
    most: int  # samples along a line, unless data look like noise
    # the bands of expressions inside of the domain
    seen: dict[sp.Expr, list[DataBand]] = field(default_factory=dict)


def affordable_points(values: Callable[[FloatArray], NumberArray], points: FloatArray) -> float:
    """The number of points that one of several samplings can afford, by the time that some of `points` take."""
    left = current_deadline().seconds_left
    if left == float("inf"):
        return left
    begun, tried = perf_counter(), points[:SAMPLE]
    values(tried)
    each = (perf_counter() - begun) / len(tried)
    return max(left / SEVERAL / max(each, ROUNDED), SAMPLE)


def data_bands(problem: Problem, rng: np.random.Generator) -> list[DataBand]:
    """Find the band of every datum of `problem` along every axis that it varies along."""
    sampling = _Sampling(rng, _MOST_SAMPLES_JUMPS if problem.interfaces else _MOST_SAMPLES)
    sizes = data_sizes(problem, rng)
    least = SAME * max(sizes.values())  # smaller data may be rounding; without a band they are ignored
    bands: list[DataBand] = []
    for relation in (*problem.equations, *problem.constraints):
        if relation.value.constant is None:
            source = source_of(relation, problem)
            found = _bands_of(relation, source, problem.domain, sampling)
            if problem.interfaces and _jumps_are_known(relation.value):  # and nothing else of it is noise
                found = [replace(band, noise=False) for band in found]
            bands += _relevant(found, sizes[source] > least)
    return bands


def _jumps_are_known(field: Field) -> bool:
    """Whether a datum is a formula that jumps at borders of Piecewise expressions only."""
    source = field.source
    if not isinstance(source, sp.Expr) or not field.is_formula or source.has(*_JUMPING):
        return False
    return bool(levels_in(source))


def _relevant(bands: list[DataBand], matters: bool) -> list[DataBand]:
    """Refuse noise in data that matter, and drop the bands of others that are not smooth."""
    for band in bands:
        if band.noise and matters:
            raise ProblemError(
                f"the data of {band.source!r} have no band: {_MOST_SAMPLES} samples along a line still find "
                f"frequencies up to {band.frequency:.3g}, as noise has; smooth the data before solving"
            )
    return [band for band in bands if band.settled or matters]


def _bands_of(relation: Relation, source: str, domain: Domain, sampling: _Sampling) -> list[DataBand]:
    field = relation.value
    if relation.region.kind == "domain":
        return _inside(field, source, domain, sampling)
    if relation.part is not None:
        return _on_part(relation, relation.part, domain, sampling)
    if relation.region.kind == "inside":  # at points: an expression has a band where it is smooth
        is_smooth = isinstance(field.source, sp.Expr) and _finite_inside(field, domain, sampling.rng)
        return [band for band in _inside(field, source, domain, sampling) if band.settled] if is_smooth else []
    if isinstance(domain, SpaceTime):
        return _inside(field, source, domain.space, sampling, lambda points: domain.at_start(points).points)
    return []  # a single value at the start


def _inside(
    field: Field,
    source: str,
    domain: Domain,
    sampling: _Sampling,
    lift: Callable[[FloatArray], FloatArray] = lambda points: points,
) -> list[DataBand]:
    """Bands along axis-parallel chords of `domain`; `lift` adds the coordinates that do not vary."""
    count = _EXPRESSION_SCOUTS if field.is_formula else _SCOUTS
    scouts = domain.sample(count, sampling.rng, "low-discrepancy")
    most = int(min(affordable_points(field, lift(scouts)), count * _MOST_SAMPLES))
    values = field.checked(lift(scouts[:most]), f"the data of {source!r}")
    # half of the chords anywhere, half through the extremes, to find a narrow bump where it is largest
    medians = [float(np.median(part)) for part in real_parts(values)]
    order = np.argsort(-np.abs(values - (complex(*medians) if len(medians) > 1 else medians[0])))
    half = min(MANY // 2, max(most // (2 * domain.dimension * POINTS), 1))
    seeds = np.concatenate([scouts[:half], scouts[order[:half]]])
    bands = []
    for axis in range(domain.dimension):
        ends = chord_ends(domain, seeds, axis)

        def sample(n: int, axis: int = axis, ends: Ends = ends) -> tuple[FloatArray, FloatArray]:
            # a short chord resolves frequencies coarsely and would overstate the band
            lines, lengths = chord_lines(domain, seeds, axis, n, shortest=_SHORTEST, ends=ends)
            values = field.checked(lift(lines.reshape(-1, domain.dimension)), f"the data of {source!r}")
            return _real_lines(values.reshape(len(lines), n), lengths)

        bands.append(_settle(source, axis, sample, sampling))
    return bands


def _real_lines(values: NumberArray, lengths: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Real values along lines; complex values become those of twice as many lines."""
    parts = real_parts(values)
    return np.concatenate(parts), np.concatenate([lengths] * len(parts))


def _on_part(constraint: Relation, part: BoundaryPart, domain: Domain, sampling: _Sampling) -> list[DataBand]:
    """Bands along the lines of a part's unit cube, assigned to the axes of those lines.

    Oblique lines assign the whole band to every axis, which is more than necessary. An expression extends into the
    domain, where chords see each axis by itself; that counts unless it is worse there than on the boundary.
    """
    field, source = constraint.value.unweighted, constraint.name
    bands = []
    for parameter in range(part.parameters):
        lines = part_lines(constraint, part, parameter, sampling.rng)
        directions = directions_of(part, lines)
        along_axes = np.flatnonzero(directions > CLOSE)

        def sample(n: int, lines: Lines = lines) -> tuple[FloatArray, FloatArray]:
            sites = sites_on_lines(part, lines, n)
            values = field.checked(sites.points, f"the data of {source!r}", sites.normals)
            points = sites.points.reshape(-1, n, domain.dimension)
            lengths = np.linalg.norm(np.diff(points, axis=1), axis=2).sum(axis=1)
            return _real_lines(values.reshape(len(points), n), lengths)

        along = _settle(source, 0, sample, sampling, _first_samples(field, part, lines))
        inside: list[DataBand] = []
        expression = field.source
        if along_axes.size > 1 and isinstance(expression, sp.Expr) and not field.needs_normals:
            # the domain is the same for every side of a polygon, and often the expression is
            if expression not in sampling.seen:
                within = _finite_inside(field, domain, sampling.rng)
                sampling.seen[expression] = _inside(field, source, domain, sampling) if within else []
            inside = [replace(band, source=source) for band in sampling.seen[expression]]
        for axis in along_axes:
            slant = float(directions[axis])
            band = replace(along, axis=int(axis), frequency=along.frequency * slant, slant=slant)
            narrower = [b for b in inside if b.axis == axis and b.settled >= band.settled]
            bands.append(min([band, *narrower], key=lambda b: (not b.settled, b.frequency)))
    return bands


def _first_samples(field: Field, part: BoundaryPart, lines: Lines) -> int:
    """The first number of samples along each line: fewer for data that are slow to evaluate."""
    tried = sites_on_lines(part, lines, SAMPLE)

    def values(points: FloatArray) -> FloatArray:
        return field(points, None if tried.normals is None else tried.normals[: len(points)])

    most = affordable_points(values, tried.points)
    n = POINTS
    while n > SAMPLE and n * len(lines[0]) > most:
        n //= 2
    return n


def _finite_inside(field: Field, domain: Domain, rng: np.random.Generator) -> bool:
    return bool(np.all(np.isfinite(field(domain.sample(2000, rng, "low-discrepancy")))))


def _settle(source: str, axis: int, sample: LineValues, sampling: _Sampling, first: int = POINTS) -> DataBand:
    """Refine the sampling until the band stops changing and lies below half of what the samples resolve.

    At the enforced deadline, the band is taken as it is.
    """
    n = first
    previous: LineBand | None = None
    while True:
        values, lengths = sample(n)
        band = line_band(values, lengths)
        moved = previous is None or abs(band.frequency - previous.frequency) > 0.02 * band.frequency + ROUNDED
        if (band.settled and not moved) or current_deadline().seconds_left <= 0:
            if band.rough:
                break
            return DataBand(source, axis, band.frequency, True, samples=(values, lengths))
        # only with the most samples are data called noise
        if n >= sampling.most and (n >= _MOST_SAMPLES or line_band(values, lengths, NOISE_THRESHOLD).settled):
            break
        previous = band
        n *= 2
    if not line_band(values, lengths, NOISE_THRESHOLD).settled:
        return DataBand(source, axis, band.frequency, False, noise=True)
    # without a highest frequency, enough for one or two digits
    return DataBand(source, axis, line_band(values, lengths, SMALL).frequency, False)
