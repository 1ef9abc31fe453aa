"""How fast disturbances grow in time, and streamlines without any condition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import BoolArray, ComplexArray, FloatArray, NumberArray
from fspielm.basis.basis import expand_powers
from fspielm.estimate.amounts import ALIKE, CLEARLY, FEW, MANY, POINTS, SAMPLE, SEVERAL, SMALL
from fspielm.estimate.let_through import Frozen, freeze, freeze_inside, representative_sites, roots_of, without_phase
from fspielm.geometry.boundary import Sites
from fspielm.geometry.domain import Domain
from fspielm.numerics.roots import bisect
from fspielm.numerics.sampling import half_sphere, kronecker
from fspielm.numerics.tolerances import BISECTIONS, CLOSE, PROBES, ROUNDED, SAME, STEP, TINY
from fspielm.problem.nonlinear.iterate import Iterate
from fspielm.problem.operator import FieldCoefficient, Operator, derivative, identity
from fspielm.problem.places import PART_PROBES as PLACES
from fspielm.problem.places import probe
from fspielm.problem.problem import Problem, iterate_of

# ---- Rates of growth and speeds: exponents in time of the symbol at real frequencies in space


def rates(frozen: Frozen, k: FloatArray, unit: float) -> tuple[FloatArray, FloatArray]:
    """The fastest growth at each site with each frequency in space ``(n, m)``, and the size of that exponent."""
    n, m = len(frozen.coefficients), len(k)
    if not _degree(frozen):  # the determinant is without time: nothing grows by itself
        return np.zeros((n, m)), np.zeros((n, m))
    roots = roots_of(_polynomials(frozen, k), np.full(n * m, unit))
    growing = _growing(roots)
    fastest = roots[np.arange(n * m), growing.argmax(axis=1)]
    return growing.max(axis=1).reshape(n, m), np.nan_to_num(np.abs(fastest)).reshape(n, m)


def rates_and_speeds(frozen: Frozen, k: FloatArray, unit: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The fastest growth at each site with each frequency, and the least and the largest speed of a packet ``(n, m)``.

    For one dimension in space. The group velocity of ``exp(i k x + s t)`` is ``-Im ds/dk``; where two exponents meet it
    does not exist, and the least speed is taken as zero.
    """
    n, m = len(frozen.coefficients), len(k)
    if not _degree(frozen):
        return np.zeros((n, m)), np.zeros((n, m)), np.zeros((n, m))
    polynomials = _polynomials(frozen, k)
    roots = roots_of(polynomials, np.full(n * m, unit))
    step = STEP * np.abs(k)
    change = _polynomials(frozen, k + step) - _polynomials(frozen, k - step)
    slopes = change / np.tile(2 * step, (n, 1))
    powers = np.arange(polynomials.shape[1])
    s = roots[:, :, None] ** powers
    by_s = polynomials[:, None, 1:] * powers[1:] * s[:, :, :-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        velocities = -(-(slopes[:, None, :] * s).sum(axis=2) / by_s.sum(axis=2)).imag
    speeds = np.where(np.isfinite(velocities), np.abs(velocities), 0.0)
    most = _growing(roots).max(axis=1)
    return most.reshape(n, m), speeds.min(axis=1).reshape(n, m), speeds.max(axis=1).reshape(n, m)


def _degree(frozen: Frozen) -> int:
    return int(frozen.orders[:, -1].max(initial=0))


def _polynomials(frozen: Frozen, k: FloatArray) -> ComplexArray:
    """The symbol as polynomials in the exponent in time, at each site with each frequency ``(n m, degree + 1)``."""
    space, highest = k.shape[1], int(frozen.orders.sum(axis=1).max(initial=0))
    exponents = np.column_stack([1j * k, np.zeros(len(k))])
    later = np.broadcast_to(np.append(np.zeros(space), 1.0), exponents.shape)
    powers = expand_powers(frozen.orders, exponents, later, highest)[:, :, : _degree(frozen) + 1]
    each = np.einsum("mtk,nt->nmk", powers, frozen.coefficients)
    return np.asarray(each.reshape(-1, powers.shape[2]))


def _growing(roots: ComplexArray) -> FloatArray:
    """Positive real parts of roots that are more than rounding, and zero for all others."""
    share = ROUNDED if roots.shape[1] <= 2 else CLOSE  # a double root of many loses half of the digits
    with np.errstate(invalid="ignore"):
        return np.where(roots.real > share * np.abs(roots), roots.real, 0.0)


# ---- Fronts: where the iterate of a linearisation is steep, at each of some times
# Between two points on either side of a front, values jump however thin it is; bisection that keeps the half with the
# larger jump finds it. It begins with a few pairs of neighbours among some points of space.

# Octaves of frequencies of disturbances; the resolution of fronts is that of the highest frequency.
_OCTAVES = 14


def find_fronts(problem: Problem, shares: FloatArray) -> FloatArray:
    """Points ``(n, d)`` at these shares of the time interval, a few at each, near which the iterate changes most."""
    iterate, time = iterate_of(problem), problem.domain.time
    assert iterate is not None
    assert time is not None
    found = problem.domain.sample(SAMPLE, np.random.default_rng(0), "low-discrepancy")  # for inspection only
    # pairs of points that follow each other along one of the axes of space, at every time
    orders = np.argsort(found[:, :-1], axis=0)
    left, right = (np.tile(found[order.T.ravel()], (len(shares), 1)) for order in (orders[:-1], orders[1:]))
    left[:, -1] = right[:, -1] = np.repeat(time.start + shares * time.duration, len(left) // len(shares))
    first, last = (_values(problem, iterate, side) for side in (left, right))
    steepest = np.argsort(_jump(first, last).reshape(len(shares), -1), axis=1)[:, -FEW:]
    chosen = (steepest + len(left) // len(shares) * np.arange(len(shares))[:, None]).ravel()
    a, b, first, last = left[chosen], right[chosen], first[:, chosen], last[:, chosen]
    for _ in range(_OCTAVES):
        middle = 0.5 * (a + b)
        # a way out of the domain is not followed
        inside = problem.domain.contains(middle)
        between = np.where(inside, _values(problem, iterate, np.where(inside[:, None], middle, a)), first)
        earlier = inside & (_jump(first, between) >= _jump(between, last))
        later = inside & ~earlier
        a, first = np.where(later[:, None], middle, a), np.where(later, between, first)
        b, last = np.where(earlier[:, None], middle, b), np.where(earlier, between, last)
    return np.asarray(a)


def _values(problem: Problem, iterate: Iterate, points: FloatArray) -> NumberArray:
    """Values of all unknowns ``(m, n)``."""
    each = [identity(problem.dimension).on(place) for place in range(len(problem.stated.unknowns))]
    return iterate.evaluate_each(each, Sites(points))


def _jump(one: NumberArray, other: NumberArray) -> FloatArray:
    """The largest relative difference of values ``(m, n)`` over all unknowns."""
    size = np.maximum(np.abs(one).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    return np.asarray((np.abs(one - other) / size).max(axis=0))


# ---- Average coefficients over half a period of a disturbance
# The coefficients of a linearisation are large at a front of the solution only. A disturbance wider than the front
# grows by their average; one that is as narrow feels the full coefficients, and its own diffusion.

# Frequencies for each octave, and sizes of boxes along a line, where boxes of all sizes share their points.
_STEPS = 3


def freeze_averages(
    problem: Problem, points: FloatArray, shares: FloatArray
) -> Iterator[tuple[NDArray[np.int_], Frozen]]:
    """The operator of a problem at points ``(n, d)``, averaged around them over boxes of some shares of the domain.

    Yields the indices of shares ``(m,)`` that are about equal, and the average over boxes of that size.
    """
    along_a_line = problem.dimension == 2
    steps = _STEPS if along_a_line else 1
    levels = np.round(steps * np.log2(shares)).astype(int)
    unique, which = np.unique(levels, return_inverse=True)
    lengths = np.ptp(problem.domain.bounding_box, axis=0)[:-1]
    sizes = 2.0 ** (unique / steps)
    if along_a_line:
        means: Iterable[Frozen] = _along_a_line(problem, points, sizes * lengths[0])
    else:
        means = (_in_boxes(problem, points, size * lengths) for size in sizes)
    for place, frozen in enumerate(means):
        yield np.flatnonzero(which == place), frozen


def _along_a_line(problem: Problem, points: FloatArray, widths: FloatArray) -> list[Frozen]:
    """Averages over intervals of these widths, in rising order, all from one set of places."""
    (lower, upper), m = problem.domain.bounding_box, len(widths)
    offsets = 0.5 * np.concatenate([-widths[::-1], [0.0], widths])
    x = np.clip(points[:, :1] + offsets, lower[0], upper[0])
    around = np.stack([x, np.broadcast_to(points[:, 1:], x.shape)], axis=2)
    frozen = freeze(problem.determinant, Sites(around.reshape(-1, 2)))
    each = frozen.coefficients.reshape(*x.shape, -1)
    # integrals from the left end of the widest interval
    pieces = 0.5 * np.diff(x)[:, :, None] * (each[:, 1:] + each[:, :-1])
    whole = np.concatenate([np.zeros_like(pieces[:, :1]), np.cumsum(pieces, axis=1)], axis=1)
    return [
        Frozen(frozen.orders, (whole[:, m + k] - whole[:, m - k]) / (x[:, m + k] - x[:, m - k])[:, None])
        for k in range(1, m + 1)
    ]


def _in_boxes(problem: Problem, points: FloatArray, widths: FloatArray) -> Frozen:
    """Averages over boxes of these widths in space."""
    offsets = np.zeros((1 + MANY, problem.dimension))  # the first is the point itself
    offsets[1:, :-1] = ((kronecker(MANY, len(widths)) + 0.5) % 1.0 - 0.5) * widths
    around = points[:, None, :] + offsets
    flat = around.reshape(-1, problem.dimension)
    inside = problem.domain.contains(flat).reshape(around.shape[:2])
    inside[:, 0] = True
    weights = inside / inside.sum(axis=1, keepdims=True)
    # points outside have weight zero, but need a value
    at = np.where(inside[:, :, None], around, points[:, None, :]).reshape(flat.shape)
    frozen = freeze(problem.determinant, Sites(at))
    each = frozen.coefficients.reshape(*inside.shape, -1)
    return Frozen(frozen.orders, np.einsum("nat,na->nt", each, weights))


# ---- The growth of wave packets on their way through the coefficients of a linearisation, in one dimension
# A packet grows where it is, and travels with its group velocity. On one way through the domain its growth is the
# integral of rate over speed; it passes as often as its speed allows, as if reflected at both ends.


def limit_by_travel(
    problem: Problem, fronts: FloatArray, k: FloatArray, grown: FloatArray, seconds: float
) -> FloatArray:
    """The growth of waves ``(m,)`` within some seconds, in powers of e, less where they do not stay where they grow.

    For linearisations in one dimension and time, with `fronts` ``(n, 2)`` at some times and frequencies k ``(m, 1)``.
    """
    lower, upper = problem.domain.bounding_box
    length = float(upper[0] - lower[0])
    iterate = iterate_of(problem)
    assert iterate is not None
    # others are longer than a packet, or not worth a closer look
    packets = np.flatnonzero((np.abs(k[:, 0]) * length >= 2 * np.pi * FEW) & (grown > SMALL))
    most, k = np.zeros(len(packets)), k[packets]
    for now in np.unique(fronts[:, 1]) if len(packets) else ():
        # denser around fronts: two points in each octave
        offsets = length * 2.0 ** (-np.arange(2 * _OCTAVES) / 2)
        around = fronts[fronts[:, 1] == now, :1] + np.concatenate([-offsets, [0.0], offsets])
        x = np.unique(np.clip(np.append(np.linspace(lower[0], upper[0], SAMPLE + 1), around), lower[0], upper[0]))
        sites = Sites(np.column_stack([x, np.full(len(x), now)]))
        growing, slowest, fastest = rates_and_speeds(freeze(problem.determinant, sites), k, 1 / seconds)
        along = _front_speed(problem, iterate, sites)
        slow, fast = slowest.min(axis=0), fastest.max(axis=0)
        passes = 1 + seconds * (fast + along) / length
        with np.errstate(divide="ignore", invalid="ignore"):
            once = np.trapezoid(growing / (slowest - along), x, axis=0)
        # a packet that is not clearly faster than a front may travel with it
        most = np.maximum(most, np.where(slow > CLEARLY * along, passes * once, np.inf))
    less = grown.copy()
    less[packets] = np.minimum(grown[packets], most)
    return less


def _front_speed(problem: Problem, iterate: Iterate, sites: Sites) -> float:
    """The speed of fronts of the iterate: the slope in time over that in space."""
    unknowns = range(len(problem.stated.unknowns))
    in_space, in_time = (
        np.abs(iterate.evaluate_each([derivative(orders).on(place) for place in unknowns], sites))
        for orders in ((1, 0), (0, 1))
    )
    fastest = [0.0]
    for slope, change in zip(in_space, in_time, strict=True):
        steep = (slope > 0) & (CLEARLY * slope >= slope.max())
        fastest += (change[steep] / slope[steep]).tolist()
    return max(fastest)


# ---- The growth of disturbances over the time of a problem

# Frequencies begin at an eighth of a period over the domain.
_LOWEST = np.pi / 4
# Growth that leaves no digit, in powers of e; if it is larger again two octaves up, it has no bound.
HOPELESS = -float(np.log(np.finfo(np.float64).eps))


@final
@dataclass(frozen=True, eq=False)
class Growth:
    """Disturbances ``exp(i k x + s t)`` that grow, and by how much."""

    frequencies: FloatArray  # (n, d): absolute values of k along each axis of space, and of s along time
    stretches: FloatArray  # (n, m): the growth of each on m equal stretches of time, in powers of e
    has_bound: bool = True  # whether the growth stays bounded as frequencies rise
    places: FloatArray | None = None  # (n, m, d): for a linearisation, where each grows fastest on each stretch
    # the ends of the line along which disturbances grow, if they do not grow in time
    ends: tuple[float, float] | None = None

    @property
    def foldings(self) -> FloatArray:
        """The growth of each over the whole time, in powers of e."""
        return np.asarray(self.stretches.sum(axis=1))

    def remaining(self, which: int, shares: FloatArray) -> FloatArray:
        """The growth of one of them after these shares of the time, in powers of e."""
        grown = np.concatenate([[0.0], np.cumsum(self.stretches[which])])
        return np.asarray(grown[-1] - np.interp(shares, np.linspace(0.0, 1.0, len(grown)), grown))

    def first_hopeless(self) -> tuple[float, float]:
        """The lowest frequency in space that would leave no digit, and its growth in powers of e."""
        lost = np.flatnonzero(self.foldings > HOPELESS)
        sizes = np.linalg.norm(self.frequencies[lost, :-1], axis=1)
        first = lost[np.argmin(sizes)]
        return float(sizes.min()), float(self.foldings[first])


def find_growth(problem: Problem) -> Growth:
    """The disturbances that grow, with coefficients frozen at some points; a ProblemError where they have no value."""
    time, space = problem.domain.time, problem.dimension - 1
    assert time is not None
    points, frozen = freeze_inside(problem)
    lengths = np.ptp(problem.domain.bounding_box, axis=0)[:-1]
    k = _frequencies(lengths)
    # stretches of time with rates of their own
    number = MANY if _changes_with_time(problem) else 1
    during = np.minimum((number * (points[:, -1] - time.start) / time.duration).astype(int), number - 1)
    fronts = None
    if problem.is_linearisation and space:
        twice = (np.arange(2 * number) + 0.5) / (2 * number)  # on each stretch
        fronts = find_fronts(problem, twice).reshape(number, -1, space + 1)
    stretches, sizes, places = [], [], []
    for stretch in range(number):
        now = np.flatnonzero(during == stretch)
        now = now[representative_sites(frozen.select(now))]
        here, where = frozen.select(now), points[now]
        if fronts is None:
            growing, size = rates(here, k, 1 / time.duration)
        else:
            where = np.concatenate([where, fronts[stretch]])
            here = freeze(problem.determinant, Sites(where))
            growing, size = _average_rates(problem, where, k, 1 / time.duration)
        stay = np.full(len(where), time.duration)
        if not any(constraint.region.partner is not None for constraint in problem.constraints):  # not periodic
            stay = _longest_stay(here, lengths, time.duration)
        grown = growing * stay[:, None] / number
        most = grown.max(axis=0)
        if fronts is not None and space == 1:
            most = limit_by_travel(problem, fronts[stretch], k, most, time.duration / number)
        stretches.append(most)
        fastest = grown.argmax(axis=0)
        sizes.append(size[fastest, np.arange(len(k))])
        places.append(where[fastest])
    each = np.stack(stretches, axis=1)
    foldings = each.sum(axis=1)
    # frequencies below the lowest that prescribed values allow, by half a step, are left out
    lowest = 2 ** (-0.5 / _STEPS) * _lowest_frequency(problem, lengths)
    grows = (foldings > 0) & (np.linalg.norm(k, axis=1) >= lowest)
    found = np.column_stack([np.abs(k), np.max(sizes, axis=0)])[grows]
    at = np.stack(places, axis=1)[grows] if problem.is_linearisation else None
    # whether growth levels off towards the highest frequencies
    highest = foldings[1:].reshape(_OCTAVES * _STEPS + 1, -1).max(axis=1) if space else np.zeros(2 * _STEPS + 1)
    later, before = highest[-1], highest[-1 - 2 * _STEPS]
    return Growth(found, each[grows], not (later > HOPELESS and later > (1 + ALIKE) * before), at)


def find_growth_from_one_end(problem: Problem) -> Growth | None:
    """What grows along a line from the end with all conditions; None where they are not all at one end."""
    is_periodic = any(c.region.partner is not None for c in problem.constraints)
    if problem.dimension > 1 or problem.domain.is_unbounded or is_periodic:
        return None
    rng = np.random.default_rng(0)  # for inspection only
    held = np.concatenate([c.sample(FEW, rng, "uniform").points[:, 0] for c in problem.constraints])
    lower, upper = (float(end) for (end,) in problem.domain.bounding_box)
    length = upper - lower
    if np.ptp(held) > SAME * length:
        return None
    growing, sizes = np.zeros(MANY), np.zeros(MANY)
    begin, end = (lower, upper) if held[0] - lower < upper - held[0] else (upper, lower)
    points, frozen = freeze_inside(problem)
    backward = (-1.0) ** frozen.orders.sum(axis=1) if end < begin else 1.0
    rate, size = rates(Frozen(frozen.orders, frozen.coefficients * backward), np.zeros((1, 0)), 1 / length)
    during = np.minimum((MANY * np.abs(points[:, 0] - begin) / length).astype(int), MANY - 1)
    for stretch in range(MANY):
        here = during == stretch if len(points) > 1 else np.array([True])
        if here.any():
            growing[stretch] = rate[here, 0].mean() * length / MANY
            sizes[stretch] = size[here, 0].max()
    fastest = np.array([[sizes.max()]])
    return Growth(fastest, growing[None], ends=(begin, end)) if growing.sum() > 0 else None


def _average_rates(problem: Problem, points: FloatArray, k: FloatArray, unit: float) -> tuple[FloatArray, FloatArray]:
    """As `rates`, with the coefficients of a linearisation averaged over half a period of each disturbance."""
    lengths = np.ptp(problem.domain.bounding_box, axis=0)[:-1]
    # half a period of each, as a share of the domain, at most all of it
    shares = np.pi / np.maximum(np.linalg.norm(k * lengths, axis=1), np.pi)
    growing, sizes = np.zeros((len(points), len(k))), np.zeros((len(points), len(k)))
    for these, frozen in freeze_averages(problem, points, shares):
        growing[:, these], sizes[:, these] = rates(frozen, k[these], unit)
    return growing, sizes


def _changes_with_time(problem: Problem) -> bool:
    """Whether coefficients may change with time, as callables may."""
    coefficients = [term.coefficient for term in problem.determinant.terms if callable(term.coefficient)]
    fields = [c.field for c in coefficients if isinstance(c, FieldCoefficient) and c.field.is_formula]
    now = problem.coordinates[-1]
    return len(fields) < len(coefficients) or any(now in getattr(f.source, "free_symbols", ()) for f in fields)


def _lowest_frequency(problem: Problem, lengths: FloatArray) -> float:
    """The lowest frequency in space of a disturbance: half a period each way where values are prescribed all round."""
    bound = [c for c in problem.constraints if c.region.kind == "boundary"]
    held = all(c.operator.order == 0 and c.region.partner is None for c in bound)
    covered = {name for c in bound if c.mask is None for name in c.part_names}
    names = {part.name for part in problem.domain.boundary([str(symbol) for symbol in problem.coordinates])}
    return float(np.linalg.norm(np.pi / lengths)) if bound and held and names <= covered else 0.0


def _frequencies(lengths: FloatArray) -> FloatArray:
    """Frequencies in space ``(m, d - 1)``: zero, then all sizes in some directions, the highest last."""
    space = len(lengths)
    if not space:
        return np.zeros((1, 0))
    sizes = _LOWEST * 2.0 ** (np.arange(_OCTAVES * _STEPS + 1) / _STEPS)
    directions = half_sphere(SEVERAL, space, np.random.default_rng(0)) / lengths
    # the axes, along which growth may differ most
    directions = np.concatenate([directions, np.diag(1 / lengths)])
    every = (sizes[:, None, None] * directions).reshape(-1, space)
    return np.concatenate([np.zeros((1, space)), every])


def _longest_stay(frozen: Frozen, lengths: FloatArray, duration: float) -> FloatArray:
    """The longest time that a disturbance stays in the domain, by site: advection carries it out."""
    orders = frozen.orders
    if orders.sum(axis=1).max(initial=0) > 1 or not lengths.size:
        return np.full(len(frozen.coefficients), duration)
    velocity = np.zeros((len(frozen.coefficients), len(lengths)), dtype=frozen.coefficients.dtype)
    start = np.zeros(len(frozen.coefficients), dtype=frozen.coefficients.dtype)
    for order, values in zip(orders, frozen.coefficients.T, strict=True):
        if order[-1]:
            start += values
        elif order.any():
            velocity[:, int(order.argmax())] += values
    crossings = np.abs(start) / np.maximum(np.max(np.abs(velocity) / lengths, axis=1), 1e-300)
    # a velocity that is not real carries nothing
    turned = np.any(np.abs((velocity * np.conj(start)[:, None]).imag) > 0, axis=1)
    return np.asarray(np.where(turned, duration, np.minimum(duration, crossings)))


# ---- Streamlines: whether each has a condition at one of its ends

# A value that is damped to rounding along the way, by this many powers of e, need not be known.
_FORGOTTEN = -np.log(ROUNDED)


def undetermined_streamline(problem: Problem) -> tuple[FloatArray, bool] | None:
    """A point whose streamline has no condition, and whether it never leaves the domain; None if there is none.

    For equations ``b . grad u + a u = f`` of first order: with time, b has a component along it. Values on a streamline
    follow from either end; where `a` damps them enough, no condition is needed.
    """
    if problem.dimension == 1 or problem.determinant.order != 1:
        return None
    if any(c.region.kind == "inside" and c.part is not None for c in problem.constraints):
        return None  # a curve may cross all of them
    if problem.domain.time is None and any(c.region.partner is not None for c in problem.constraints):
        return None  # around a period, a constant is left open, which is found elsewhere
    flow = _Flow(problem.determinant, problem.domain)
    points = problem.domain.sample(PROBES, np.random.default_rng(0), "low-discrepancy")  # for inspection only
    if without_phase(flow.coefficients(points)[0].T) is None:
        return None  # a velocity that is not real, as that of ``u_x + i u_y``, has no streamlines
    with_condition, without = _prescribed_points(problem), _open_points(problem)
    known, endless = np.zeros(len(points), dtype=bool), np.ones(len(points), dtype=bool)
    for sign in (-1.0, 1.0):
        left = np.flatnonzero(~known)
        if len(left) < FEW:
            return None
        ends, leaves, known[left] = flow.follow(points[left], sign)
        known[left[leaves]] |= _are_prescribed(ends[leaves], with_condition, without, flow.lengths)
        endless[left] &= ~leaves
    unknown = np.flatnonzero(~known)
    if len(unknown) < FEW:
        return None
    return points[unknown[0]], bool(endless[unknown[0]])


@final
@dataclass(frozen=True, eq=False)
class _Flow:
    operator: Operator
    domain: Domain

    @property
    def lengths(self) -> FloatArray:
        lower, upper = self.domain.bounding_box
        return upper - lower

    def velocity(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The velocity, of unit length in extents of the domain ``(n, d)``, and the damping on that way ``(n,)``."""
        b, a = self.coefficients(points)
        if np.iscomplexobj(b):  # a common phase of all coefficients has no meaning
            leading = np.take_along_axis(b, np.abs(b).argmax(axis=1)[:, None], axis=1)
            turn = np.conj(leading) / np.maximum(np.abs(leading), 1e-300)
            b, a = (b * turn).real, (a * turn[:, 0]).real
        speed = np.maximum(np.linalg.norm(b / self.lengths, axis=1), 1e-300)
        return b / speed[:, None], a / speed

    def coefficients(self, points: FloatArray) -> tuple[NumberArray, NumberArray]:
        """The coefficients of the derivatives ``(n, d)``, and of the unknown itself ``(n,)``."""
        sites = Sites(points)
        values = [term.at(sites) for term in self.operator.terms]
        dtype = np.result_type(np.float64, *values)
        b, a = np.zeros(points.shape, dtype=dtype), np.zeros(len(points), dtype=dtype)
        for term, value in zip(self.operator.terms, values, strict=True):
            if term.order:
                b[:, term.orders.index(1)] += value
            else:
                a += value
        return b, a

    def follow(self, points: FloatArray, sign: float) -> tuple[FloatArray, BoolArray, BoolArray]:
        """Where streamlines leave the domain, whether they do, and whether values are damped before.

        By the classical Runge-Kutta method; a stage outside is taken where the step began.
        """
        ends, leaves = points.copy(), np.zeros(len(points), dtype=bool)
        damped = np.zeros(len(points))
        moving = np.arange(len(points))
        for _ in range(POINTS):
            here = ends[moving]
            step, lost = self._step(here, sign)
            after = here + step
            damped[moving] += lost
            outside = ~self.domain.contains(after)
            if outside.any():
                gone = moving[outside]
                ends[gone] = self._exit(here[outside], after[outside])
                leaves[gone] = True
            ends[moving[~outside]] = after[~outside]
            moving = moving[~outside & (np.abs(damped[moving]) < _FORGOTTEN)]
            if not moving.size:
                break
        # forward along the stream values are damped where `a` is positive; backward, where it is negative
        return ends, leaves, -sign * damped >= _FORGOTTEN

    def _step(self, here: FloatArray, sign: float) -> tuple[FloatArray, FloatArray]:
        first, lost = self.velocity(here)
        h = np.full((len(here), 1), sign / MANY)
        for _ in range(FEW):  # a thin eddy turns within a step
            middle = self._at(here, here + 0.5 * h * first)
            turn = np.linalg.norm((middle - first) / self.lengths, axis=1, keepdims=True)
            if np.all(MANY * turn <= 1):
                break
            h *= np.minimum(1.0, 1 / (MANY * np.maximum(turn, TINY)))
        stages = [first]
        for share in (0.5, 0.5, 1.0):
            stages.append(self._at(here, here + share * h * stages[-1]))
        step = h / 6 * (stages[0] + 2 * stages[1] + 2 * stages[2] + stages[3])
        return step, np.abs(h[:, 0]) * lost

    def _at(self, here: FloatArray, there: FloatArray) -> FloatArray:
        """The velocity at `there`, or at `here` where `there` is outside."""
        return self.velocity(np.where(self.domain.contains(there)[:, None], there, here))[0]

    def _exit(self, inside: FloatArray, outside: FloatArray) -> FloatArray:
        way, none = outside - inside, np.zeros(len(inside))
        held = bisect(none, none + 1, lambda s: self.domain.contains(inside + s[:, None] * way), BISECTIONS)[0]
        return np.asarray(inside + held[:, None] * way)


def _prescribed_points(problem: Problem) -> FloatArray:
    """Points with a condition; for periodic parts, on both."""
    rng = np.random.default_rng(0)  # for inspection only
    found = [(c.sample(PLACES, rng, "low-discrepancy").points, c.region.shift) for c in problem.constraints]
    shifted = [points + shift for points, shift in found if shift is not None]
    return np.concatenate([points for points, _ in found] + shifted)


def _open_points(problem: Problem) -> FloatArray:
    """Points of the boundary, and of the end of time, without a condition."""
    bound = [c for c in problem.constraints if c.region.kind == "boundary"]
    found = []
    for part in problem.domain.boundary([str(symbol) for symbol in problem.coordinates]):
        points = probe(part).points
        here = [c for c in bound if part.name in c.part_names]
        found.append(points[~np.any([np.zeros(len(points), dtype=bool), *(c.holds(points) for c in here)], axis=0)])
    time = problem.domain.time
    if time is not None:
        last = problem.domain.sample(PLACES, np.random.default_rng(0), "low-discrepancy")
        last[:, -1] = time.end
        found.append(last)
    return np.concatenate(found)


def _are_prescribed(
    ends: FloatArray, with_condition: FloatArray, without: FloatArray, lengths: FloatArray
) -> NDArray[np.bool_]:
    """Whether streamlines end at a condition: no point without one is clearly closer than those with one."""
    from scipy.spatial import cKDTree

    if not len(without) or not len(ends):
        return np.ones(len(ends), dtype=bool)
    prescribed, free = (cKDTree(each / lengths).query(ends / lengths)[0] for each in (with_condition, without))
    return np.asarray(CLEARLY * free >= prescribed)
