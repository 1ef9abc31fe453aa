"""The bands of a problem's data: right-hand side, boundary and initial values, along every axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray, real_parts
from fspielm.deadline import current_deadline
from fspielm.equations import Problem, Relation
from fspielm.errors import ProblemError
from fspielm.expressions import Field
from fspielm.geometry import (
    BoundaryPart,
    Domain,
    SpaceTime,
    Time,
    chord_ends,
    chord_lines,
)
from fspielm.spectrum.lines import NOISE_THRESHOLD, ROUGH_THRESHOLD, LineBand, line_band
from fspielm.spectrum.part_lines import Lines, directions_of, part_lines, sites_on_lines
from fspielm.spectrum.sizes import data_sizes, source_of

_CHORDS = 24
_SHORTEST = 0.4
_SCOUTS = 2**13
# An expression is cheap to evaluate: many more places are looked at, for bumps between the others.
_EXPRESSION_SCOUTS = 2**16
_FIRST_SAMPLES = 1024
_TRIED = 64
# Places at which data are asked to see how long that takes; and of the time that is left, what one look may take.
_TIMED, _SHARE = 128, 0.125
_MOST_SAMPLES = 2**15
# Where materials jump, data may; those have no band, however many samples there are.
_MOST_SAMPLES_JUMPS = 2**12
# Data so much smaller than the others may be what rounding left of zero; without a band they are passed over.
_SILENT = 1e-9
# What rounding may make of a datum that is the same everywhere.
_CONSTANT = 1e-12

LineValues = Callable[[int], tuple[FloatArray, FloatArray]]
Ends = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class DataBand:
    """The highest frequency of one datum along one axis.

    Attributes
    ----------
    source : str
        ``"right-hand side"`` or the name of a condition's block.
    axis : int
    frequency : float
    settled : bool
        False where finer sampling kept finding higher frequencies, or amplitudes fall too slowly to resolve:
        the datum has jumps or kinks.
    noise : bool
        Whether those higher frequencies are as strong as the low ones.
    samples : tuple of a (lines, n) and a (lines,) array, optional
        Values along lines, and the lines' lengths, that it was read from.
    slant : float
        The largest component of those lines along the axis.
    """

    source: str
    axis: int
    frequency: float
    settled: bool
    noise: bool = False
    samples: tuple[FloatArray, FloatArray] | None = field(default=None, compare=False, repr=False)
    slant: float = 1.0

    @property
    def varies(self) -> bool:
        """Whether the datum is not the same all along the axis."""
        if self.samples is None:
            return True
        values, _ = self.samples
        return bool(np.any(np.ptp(values, axis=1) > _CONSTANT * np.abs(values).max()))


@dataclass(frozen=True, eq=False)
class _Look:
    """What looking at data goes by.

    Attributes
    ----------
    rng : Generator
    most : int
        Samples along a line, at most, unless data look like noise.
    seen : dict
        The bands inside of the domain of expressions that were looked at before.
    """

    rng: np.random.Generator
    most: int
    seen: dict[sp.Expr, list[DataBand]] = field(default_factory=dict)


def affordable_points(values: Callable[[FloatArray], NumberArray], points: FloatArray) -> float:
    """How many points one look may ask for values at, from how long some of `points` take: few of a slow callable."""
    left = current_deadline().seconds_left
    if left == float("inf"):
        return left
    begun, tried = perf_counter(), points[:_TIMED]
    values(tried)
    each = (perf_counter() - begun) / len(tried)
    return max(_SHARE * left / max(each, 1e-12), _TIMED)


def data_bands(problem: Problem, rng: np.random.Generator) -> list[DataBand]:
    """Find the band of every datum of `problem` along every axis it varies along."""
    look = _Look(rng, _MOST_SAMPLES_JUMPS if problem.interfaces else _MOST_SAMPLES)
    sizes = data_sizes(problem, rng)
    least = _SILENT * max(sizes.values())
    everywhere = range(problem.dimension)
    bands: list[DataBand] = []
    for equation in problem.equations:
        if equation.value.constant is None:
            source = source_of(equation, problem)
            found = _inside(equation.value, source, problem.domain, everywhere, look)
            bands += _audible(found, sizes[source] > least)
    for constraint in problem.constraints:
        if constraint.value.constant is None:
            bands += _audible(_of_constraint(constraint, problem, look), sizes[constraint.name] > least)
    return bands


def _audible(bands: list[DataBand], matters: bool) -> list[DataBand]:
    """Refuse noise that matters, drop what is neither smooth nor matters."""
    for band in bands:
        if band.noise and matters:
            raise ProblemError(
                f"the data of {band.source!r} have no band: {_MOST_SAMPLES} samples along a line still find "
                f"frequencies up to {band.frequency:.3g}, as noise has; smooth the data before solving"
            )
    return [band for band in bands if band.settled or matters]


def _of_constraint(constraint: Relation, problem: Problem, look: _Look) -> list[DataBand]:
    domain = problem.domain
    if constraint.region.kind == "inside" and constraint.part is None:
        return _at_points(constraint, domain, look)
    if isinstance(domain, Time) and constraint.part is None:
        return []  # a single value
    if constraint.part is None:
        assert isinstance(domain, SpaceTime)
        space = range(problem.dimension - 1)
        return _inside(
            constraint.value,
            constraint.name,
            domain.space,
            space,
            look,
            lift=lambda p: domain.at_start(p).points,
        )
    return _on_part(constraint, constraint.part, domain, look)


def _at_points(constraint: Relation, domain: Domain, look: _Look) -> list[DataBand]:
    """Values at points have no band; an expression for them has one, where it is smooth in between."""
    field = constraint.value
    if not isinstance(field.source, sp.Expr) or not _finite_inside(field, domain, look.rng):
        return []
    bands = _inside(field, constraint.name, domain, range(domain.dimension), look)
    return [band for band in bands if band.settled]


def _inside(
    field: Field,
    source: str,
    domain: Domain,
    axes: range,
    look: _Look,
    lift: Callable[[FloatArray], FloatArray] = lambda points: points,
) -> list[DataBand]:
    """Bands along axis-parallel chords of `domain`; `lift` adds the coordinates that do not vary."""
    count = _EXPRESSION_SCOUTS if field.is_formula else _SCOUTS
    scouts = domain.sample(count, look.rng, "low-discrepancy")
    most = int(min(affordable_points(field, lift(scouts)), count * _MOST_SAMPLES))
    values = field.checked(lift(scouts[:most]), f"the data of {source!r}")
    # half of the chords anywhere, half through the extremes: a narrow bump is found where it is largest
    order = np.argsort(-np.abs(values - _median(values)))
    half = min(_CHORDS // 2, max(most // (2 * len(axes) * _FIRST_SAMPLES), 1))
    seeds = np.concatenate([scouts[:half], scouts[order[:half]]])
    bands = []
    for axis in axes:
        ends = chord_ends(domain, seeds, axis)

        def sample(n: int, axis: int = axis, ends: Ends = ends) -> tuple[FloatArray, FloatArray]:
            # a short chord resolves frequencies coarsely and would overstate the band
            lines, lengths = chord_lines(domain, seeds, axis, n, shortest=_SHORTEST, ends=ends)
            values = field.checked(lift(lines.reshape(-1, domain.dimension)), f"the data of {source!r}")
            return _real_lines(values.reshape(len(lines), n), lengths)

        bands.append(_settle(source, axis, sample, look))
    return bands


def _median(values: NumberArray) -> complex:
    """The median; of complex values, that of real and of imaginary parts."""
    real, *imaginary = (float(np.median(part)) for part in real_parts(values))
    return complex(real, *imaginary) if imaginary else real


def _real_lines(values: NumberArray, lengths: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Values along lines; where they are complex, along twice as many: of real and of imaginary parts."""
    parts = real_parts(values)
    return np.concatenate(parts), np.concatenate([lengths] * len(parts))


def _on_part(constraint: Relation, part: BoundaryPart, domain: Domain, look: _Look) -> list[DataBand]:
    """Bands along the lines of a part's unit cube, assigned to the axes those lines run along.

    Where these run aslant, every axis is assigned all of the band, more than need be. An expression extends into the
    domain, where chords see each axis by itself; it may be worse there than on the boundary, as one with the normal in
    it is at a center, and then it does not count.
    """
    field, source = constraint.value.unweighted, constraint.name
    bands = []
    for parameter in range(part.parameters):
        lines = part_lines(constraint, part, parameter, look.rng)
        directions = directions_of(part, lines)
        along_axes = np.flatnonzero(directions > 1e-6)

        def sample(n: int, lines: Lines = lines) -> tuple[FloatArray, FloatArray]:
            sites = sites_on_lines(part, lines, n)
            values = field.checked(sites.points, f"the data of {source!r}", sites.normals)
            points = sites.points.reshape(-1, n, domain.dimension)
            lengths = np.linalg.norm(np.diff(points, axis=1), axis=2).sum(axis=1)
            return _real_lines(values.reshape(len(points), n), lengths)

        along = _settle(source, 0, sample, look, _first_samples(field, part, lines))
        inside: list[DataBand] = []
        expression = field.source
        if along_axes.size > 1 and isinstance(expression, sp.Expr) and not field.needs_normals:
            # the domain is the same for every side of a polygon, and often the expression is
            if expression not in look.seen:
                within = _finite_inside(field, domain, look.rng)
                look.seen[expression] = _inside(field, source, domain, range(domain.dimension), look) if within else []
            inside = [replace(band, source=source) for band in look.seen[expression]]
        for axis in along_axes:
            slant = float(directions[axis])
            band = replace(along, axis=int(axis), frequency=along.frequency * slant, slant=slant)
            narrower = [b for b in inside if b.axis == axis and b.settled >= band.settled]
            bands.append(min([band, *narrower], key=lambda b: (not b.settled, b.frequency)))
    return bands


def _first_samples(field: Field, part: BoundaryPart, lines: Lines) -> int:
    """How many samples along each line to begin with: fewer of data that are slow to ask."""
    tried = sites_on_lines(part, lines, _TRIED)

    def values(points: FloatArray) -> FloatArray:
        return field(points, None if tried.normals is None else tried.normals[: len(points)])

    most = affordable_points(values, tried.points)
    n = _FIRST_SAMPLES
    while n > _TRIED and n * len(lines[0]) > most:
        n //= 2
    return n


def _finite_inside(field: Field, domain: Domain, rng: np.random.Generator) -> bool:
    return bool(np.all(np.isfinite(field(domain.sample(2000, rng, "low-discrepancy")))))


def _settle(source: str, axis: int, sample: LineValues, look: _Look, first: int = _FIRST_SAMPLES) -> DataBand:
    """Refine the sampling until the band stops moving and lies below half of what the samples can see.

    At the end of the enforced deadline, the band is taken as it is.
    """
    n = first
    previous: LineBand | None = None
    while True:
        values, lengths = sample(n)
        band = line_band(values, lengths)
        moved = previous is None or abs(band.frequency - previous.frequency) > 0.02 * band.frequency + 1e-12
        if (band.settled and not moved) or current_deadline().seconds_left <= 0:
            if band.rough:
                break
            return DataBand(source, axis, band.frequency, True, samples=(values, lengths))
        # before data are called noise, they are looked at as closely as any
        if n >= look.most and (n >= _MOST_SAMPLES or line_band(values, lengths, NOISE_THRESHOLD).settled):
            break
        previous = band
        n *= 2
    if not line_band(values, lengths, NOISE_THRESHOLD).settled:
        return DataBand(source, axis, band.frequency, False, noise=True)
    return DataBand(source, axis, line_band(values, lengths, ROUGH_THRESHOLD).frequency, False)
