"""Charts of the regions of relations, and branch and bound for narrow features of functions there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal, final

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from fspielm.arrays import BoolArray, FloatArray
from fspielm.estimate.amounts import FEW, NEAR, POINTS, VALUES
from fspielm.expr.enclosure import Enclosure, Intervals, enclose
from fspielm.expr.functions import Field
from fspielm.geometry.boundary import Sites
from fspielm.geometry.time import SpaceTime
from fspielm.numerics.roots import bisect
from fspielm.numerics.sampling import kronecker
from fspielm.numerics.tolerances import BISECTIONS, ROUNDED, SAME, STEP
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

Kind = Literal["narrow", "kink", "jump", "smooth"]


@final
@dataclass(frozen=True, eq=False)
class Narrow:
    """Where a datum or a coefficient changes over a short distance.

    Attributes
    ----------
    source : str
        Its name: ``"the right-hand side"``, ``"the coefficient of u"``, ``"the value of 'dirichlet x-'"``.
    kind : {"narrow", "kink", "jump", "smooth"}
        A bump or a layer; a jump of the slope or of the value; or where a callable bends most, but not sharply.
    lower, upper : (d,) array
        A box of the coordinates around it.
    width : float
        The shortest distance over which it changes by much; zero for a kink or a jump.
    sites : Sites
        Points within it, and close to it.
    shares : (n,) array
        The share of the relation's region that each of these points stands for.
    """

    source: str
    kind: Kind
    lower: FloatArray
    upper: FloatArray
    width: float
    sites: Sites = field(repr=False)
    shares: FloatArray = field(repr=False)

    def __str__(self) -> str:
        center = ", ".join(f"{x:.4g}" for x in 0.5 * (self.lower + self.upper))
        extent = ", ".join(f"{x:.2g}" for x in self.upper - self.lower)
        change = f"changes within a distance of {self.width:.1e}"
        what = {"kink": "has a kink", "jump": "jumps"}.get(self.kind, change)
        return f"{self.source} {what}, about ({center}), in a box of ({extent})"


# ---- Charts: the region of a relation (the domain, its start, or a part of its boundary) in boxes of parameters

# A safety factor for the speed of a parametrisation, which is sampled.
_MARGIN = 1.1


@final
@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes of parameters, ``(n, p)``, and the fastest change of each coordinate with each parameter, ``(n, d, p)``."""

    lower: FloatArray
    upper: FloatArray
    rates: FloatArray

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def widths(self) -> FloatArray:
        """The widths of the boxes, ``(n, p)``."""
        return self.upper - self.lower

    @property
    def centers(self) -> FloatArray:
        """The centers of the boxes, ``(n, p)``."""
        return 0.5 * (self.lower + self.upper)

    @property
    def volumes(self) -> FloatArray:
        """The volumes of the boxes, ``(n,)``."""
        return np.asarray(np.prod(self.widths, axis=1))

    def select(self, which: NDArray[np.intp] | BoolArray) -> Boxes:
        """Some of the boxes."""
        return Boxes(self.lower[which], self.upper[which], self.rates[which])

    def halved(self, axes: NDArray[np.intp]) -> Boxes:
        """Both halves of each box, cut across one parameter each."""
        rows = np.arange(len(self))
        middle = 0.5 * (self.lower[rows, axes] + self.upper[rows, axes])
        upper, lower = self.upper.copy(), self.lower.copy()
        upper[rows, axes] = lower[rows, axes] = middle
        return Boxes(
            np.concatenate([self.lower, lower]),
            np.concatenate([upper, self.upper]),
            np.concatenate([self.rates, self.rates]),
        )


@final
@dataclass(frozen=True, eq=False)
class Chart:
    """A region in parameters."""

    whole: Boxes  # one box, or one for each smooth piece
    points: Callable[[FloatArray], FloatArray]  # from parameters ``(n, p)`` to coordinates ``(n, d)``
    # from parameters to sites, and a mask of those that belong to the region
    place: Callable[[FloatArray], tuple[Sites, BoolArray]]
    share: float = 1.0  # the share of this part in all parts of the boundary that have conditions

    @cached_property
    def volume(self) -> float:
        """The volume of the region in parameters, measured by points."""
        unit = kronecker(POINTS, self.whole.lower.shape[1])
        ends = zip(self.whole.lower, self.whole.upper, strict=True)
        held = [self.place(low + unit * (high - low))[1].mean() for low, high in ends]
        return float(np.dot(np.maximum(held, 1.0 / POINTS), self.whole.volumes))

    @property
    def extent(self) -> FloatArray:
        """The extent of the parameters, ``(p,)``."""
        return np.asarray(np.ptp(self.bounds, axis=0))

    @property
    def bounds(self) -> FloatArray:
        """The least and the largest parameters, ``(2, p)``."""
        return np.stack([self.whole.lower.min(axis=0), self.whole.upper.max(axis=0)])

    def coordinates(self, boxes: Boxes) -> tuple[FloatArray, FloatArray]:
        """Boxes of coordinates that contain the images of boxes of parameters."""
        center = self.points(boxes.centers)
        reach = 0.5 * np.einsum("ndp,np->nd", boxes.rates, boxes.widths)
        return center - reach, center + reach


def chart_of(problem: Problem, relation: Relation) -> Chart | None:
    """The chart of a relation; None for one at points only."""
    domain, region = problem.domain, relation.region
    shape = domain.space if region.kind == "start" and isinstance(domain, SpaceTime) else domain
    if region.kind != "domain" and shape is domain:
        return _part_chart(problem, relation)
    lower, upper = shape.bounding_box
    rates = np.eye(problem.dimension)[None, :, : len(lower)]

    def points(places: FloatArray) -> FloatArray:
        start = np.full(len(places), domain.bounding_box[0][-1])
        return places if shape is domain else np.column_stack([places, start])

    def place(places: FloatArray) -> tuple[Sites, BoolArray]:
        return Sites(points(places)), shape.contains(places)

    return Chart(Boxes(lower[None], upper[None], rates), points, place)


def _part_chart(problem: Problem, relation: Relation) -> Chart | None:
    part = relation.part
    if part is None or part.parameters == 0:
        return None

    def on_part(unit: FloatArray) -> tuple[Sites, BoolArray]:
        sites = part.place(unit)
        return sites, relation.holds(sites.points)

    def points(unit: FloatArray) -> FloatArray:
        return part.place(unit).points

    ends = list(pairwise(part.breaks))
    lower, upper = np.zeros((len(ends), part.parameters)), np.ones((len(ends), part.parameters))
    lower[:, 0], upper[:, 0] = np.transpose(ends)
    rates = np.stack([_speeds(points, *one) for one in zip(lower, upper, strict=True)])
    total = sum(other.part.measure for other in problem.relations if other.part is not None)
    return Chart(Boxes(lower, upper, rates), points, on_part, part.measure / total)


def _speeds(points: Callable[[FloatArray], FloatArray], lower: FloatArray, upper: FloatArray) -> FloatArray:
    """The fastest change of each coordinate with each parameter, ``(d, p)``; by differences."""
    step = STEP * (upper - lower)
    unit = lower + step + kronecker(NEAR, len(lower)) * (upper - lower - 2 * step)
    slopes = [
        np.abs(points(unit + nudge) - points(unit - nudge)).max(axis=0) / (2 * nudge.max()) for nudge in np.diag(step)
    ]
    return _MARGIN * np.stack(slopes, axis=1)


# ---- Lines across boxes of parameters, and searches along them

# First points on a line, from which searches go on to adjacent floating-point numbers.
ON_LINE = 17
_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)
# Golden sections that shorten a line at least as much as that many bisections.
_SECTIONS = 3 * BISECTIONS // 2

Values = Callable[[FloatArray], FloatArray]


@final
@dataclass(frozen=True, eq=False)
class Line:
    """One line across each of n boxes, along one of its parameters, the `axes` ``(n,)``."""

    boxes: Boxes
    through: FloatArray  # a point of each line, (n, p)
    axes: NDArray[np.intp]

    @property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """The ends of the parameter along each line."""
        rows = np.arange(len(self.axes))
        return self.boxes.lower[rows, self.axes], self.boxes.upper[rows, self.axes]

    def moved(self, along: FloatArray) -> FloatArray:
        """The points of the lines at these values of the parameter, ``(n, p)``."""
        unit = self.through.copy()
        unit[np.arange(len(self.axes)), self.axes] = along
        return unit

    def peaks(self, values: Values) -> FloatArray:
        """The maximum of a function with one peak along each line, by golden sections."""
        low, high = self.ends
        places = np.linspace(low, high, ON_LINE)
        sampled = np.stack([values(self.moved(one)) for one in places])
        best, rows = np.argmax(sampled, axis=0), np.arange(len(low))
        low, high = places[np.maximum(best - 1, 0), rows], places[np.minimum(best + 1, ON_LINE - 1), rows]
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        at_left, at_right = values(self.moved(left)), values(self.moved(right))
        for _ in range(_SECTIONS):
            rises = at_left < at_right
            low, high = np.where(rises, left, low), np.where(rises, high, right)
            fresh = np.where(rises, low + _GOLDEN * (high - low), high - _GOLDEN * (high - low))
            at_fresh = values(self.moved(fresh))
            left, right = np.where(rises, right, fresh), np.where(rises, fresh, left)
            at_left, at_right = np.where(rises, at_right, at_fresh), np.where(rises, at_fresh, at_left)
        return np.asarray(0.5 * (low + high))

    def crossings(
        self, values: Values, level: float, start: FloatArray, end: FloatArray
    ) -> tuple[FloatArray, BoolArray]:
        """Where a function first passes a level between two points of each line, as far as many points tell.

        And whether it does.
        """
        places = np.linspace(start, end, ON_LINE)
        masks = np.stack([values(self.moved(one)) < level for one in places])
        changes = masks[:-1] != masks[1:]
        first, rows = np.argmax(changes, axis=0), np.arange(len(start))
        left, right, before = places[first, rows], places[first + 1, rows], masks[first, rows]
        left, _ = bisect(left, right, lambda here: (values(self.moved(here)) < level) == before, BISECTIONS)
        return left, changes.any(axis=0)

    def excursions(self, values: Values, level: float) -> tuple[FloatArray, FloatArray, BoolArray]:
        """The stretch of each line where a function is on the other side of a level than at both ends.

        It may be a peak or a dip that is shorter than the distance of many points.
        """
        signs = np.where(values(self.moved(self.ends[0])) < level, 1.0, -1.0)
        return self.tops(lambda unit: signs * (values(unit) - level), 0.0)

    def stretches(self, values: Values, levels: tuple[float, float]) -> tuple[FloatArray, FloatArray, BoolArray]:
        """The stretch of each line where a function is between two levels; and whether there is one."""
        low, high = self.ends
        rises = values(self.moved(low)) < values(self.moved(high))
        (lower, from_below), (upper, to_above) = (self.crossings(values, level, low, high) for level in levels)
        start = np.where(from_below, lower, np.where(rises, low, high))
        end = np.where(to_above, upper, np.where(rises, high, low))
        between = values(self.moved(0.5 * (start + end)))
        return start, end, from_below | to_above | ((between > levels[0]) & (between < levels[1]))

    def tops(self, values: Values, level: float) -> tuple[FloatArray, FloatArray, BoolArray]:
        """The stretch of each line where a function with one peak is above a level; and whether there is one."""
        peaks = self.peaks(values)
        crossings = [(*self.crossings(values, level, peaks, end), end) for end in self.ends]
        start, end = (np.where(found, places, end) for places, found, end in crossings)
        return start, end, values(self.moved(peaks)) >= level


# ---- Atoms: the functions in an expression that can be narrow, and the arguments where they are
# The enclosure of a whole expression is too wide, because it treats terms as independent. But every narrow feature
# comes from an exponential, a step, a root, a pole or a border whose argument passes through a short range within a
# short distance, and arguments are short expressions.

# Beyond this argument a function hardly changes: exp(-8) is small beside exp(0).
VANISHED = 8.0
_REACH: dict[type[sp.Function], float] = {
    sp.tanh: 4.0,
    sp.coth: 4.0,
    sp.sech: VANISHED,
    sp.csch: VANISHED,
    sp.erf: 3.0,
    sp.erfc: 3.0,
    sp.atan: 10.0,
    sp.acot: 10.0,
    sp.asinh: 10.0,
}
_GROWING = (sp.sinh, sp.cosh)
_WAVES = (sp.sin, sp.cos, sp.tan, sp.cot, sp.sec, sp.csc)
_OUTSIDE = (sp.asin, sp.acos, sp.atanh, sp.acosh)
# The arguments of most of an exponential, relative to the largest argument.
_CORE = (-VANISHED, 0.0)

# From the enclosure of an argument and its largest value: the relative slope of the function, see `Atom`.
Law = Callable[[Intervals, float], FloatArray]


@final
@dataclass(frozen=True)
class Atom:
    """A function that can be narrow."""

    argument: sp.Expr
    # from enclosures of the argument, and its largest value: how strongly the function changes with it, infinite where
    # it jumps
    law: Law
    # the range of the argument where most of the change is; relative to its largest value if `from_top`
    targets: tuple[float, float] = (0.0, 0.0)
    from_top: bool = False
    kind: Kind = "narrow"  # its kind if the width is zero
    # whether it changes everywhere, as a wave does: only parts that are much faster than others are narrow
    everywhere: bool = False


def sharp_atoms(expression: sp.Expr) -> tuple[list[Atom], bool]:
    """The atoms of an expression, and whether nothing else can be narrow, as special and given functions can."""
    atoms: list[Atom] = []
    complete = True
    for node in sp.preorder_traversal(expression):
        found = list(_atoms_of(node)) if node.free_symbols else []
        complete = complete and None not in found
        atoms += [atom for atom in found if atom is not None and atom.argument.free_symbols]
    unique = {(atom.argument, atom.law, atom.kind): atom for atom in atoms}
    return list(unique.values()), complete


def _atoms_of(node: sp.Basic) -> Iterator[Atom | None]:
    if isinstance(node, sp.exp):
        yield Atom(node.exp, _exponential, _CORE, from_top=True)
    elif isinstance(node, sp.Pow):
        yield from _power(node)
    elif isinstance(node, sp.log):
        yield Atom(node.args[0], _relative, (0.0, 0.0))
    elif isinstance(node, Relational):
        yield Atom(node.lhs - node.rhs, _border, kind="jump")
    elif isinstance(node, sp.Abs):
        yield Atom(node.args[0], _border, kind="kink")
    elif isinstance(node, sp.Max | sp.Min):
        yield from (Atom(node.args[0] - other, _border, kind="kink") for other in node.args[1:])
    elif isinstance(node, sp.Heaviside | sp.sign):
        yield Atom(node.args[0], _border, kind="jump")
    elif isinstance(node, _GROWING):
        yield from (Atom(side, _exponential, _CORE, from_top=True) for side in (node.args[0], -node.args[0]))
    elif isinstance(node, sp.Function) and type(node) in _REACH:
        yield Atom(node.args[0], _STEP_LAWS[type(node)], (-3.0, 3.0))
    elif isinstance(node, _WAVES):
        yield Atom(node.args[0], _always, everywhere=True)
    elif isinstance(node, _OUTSIDE):
        yield Atom(1 - node.args[0] ** 2, _relative)
    elif isinstance(node, AppliedUndef | sp.Function) and not isinstance(node, sp.Piecewise):
        yield None


def _power(node: sp.Pow) -> Iterator[Atom]:
    base, exponent = node.as_base_exp()
    if exponent.free_symbols:
        yield Atom(exponent * sp.log(base), _exponential, _CORE, from_top=True)
    elif exponent.is_negative and isinstance(base, sp.cosh):
        # a bump where its argument is zero; logarithms would not find it, as a hyperbolic cosine soon overflows
        yield Atom(-(base.args[0] ** 2), _exponential, _CORE, from_top=True)
    elif exponent.is_negative or (exponent.is_integer and exponent >= NARROW):  # narrow at its end
        yield Atom(exponent * sp.log(base**2) / 2, _exponential, _CORE, from_top=True)
    elif not exponent.is_integer:
        yield Atom(base, _relative, kind="kink")


def _exponential(argument: Intervals, top: float) -> FloatArray:
    return np.where(argument.upper > top - VANISHED, 1.0, 0.0)


def _step(reach: float) -> Law:
    def law(argument: Intervals, top: float) -> FloatArray:
        return np.where((argument.lower < reach) & (argument.upper > -reach), 1.0, 0.0)

    return law


_STEP_LAWS: dict[type[sp.Basic], Law] = {function: _step(reach) for function, reach in _REACH.items()}


def _relative(argument: Intervals, top: float) -> FloatArray:
    """The law of roots, poles and logarithms, which change with the logarithm of the argument."""
    through = (argument.lower <= 0.0) & (argument.upper >= 0.0)
    least = np.minimum(np.abs(argument.lower), np.abs(argument.upper))
    with np.errstate(divide="ignore"):
        return np.where(through, np.inf, 1.0 / least)


def _border(argument: Intervals, top: float) -> FloatArray:
    return np.where((argument.lower <= 0.0) & (argument.upper >= 0.0), np.inf, 0.0)


def _always(argument: Intervals, top: float) -> FloatArray:
    return np.ones(len(argument.lower))


# ---- Branch and bound for the boxes in which an atom is narrow

# An atom is narrow where it would change this often over the whole extent; a wave, where it is a few times faster than
# at most places. A box in which an atom changes no more than a few times is as small as the feature.
NARROW = 15.0
# The most boxes: those of a layer along a curve or a surface then describe it well enough.
_MOST_BOXES = 2048
# First boxes along each parameter, by the number of parameters.
_FIRST = {1: 16, 2: 8, 3: 4}


@final
@dataclass(frozen=True, eq=False)
class Found:
    """Boxes in which an atom is narrow."""

    boxes: Boxes
    rates: FloatArray  # (n, p): how often it may change over a unit of each parameter; infinite where it jumps
    # (n,): whether a box is as small as the feature; otherwise it contains a layer or a point somewhere
    small: BoolArray
    top: float  # the largest value of the argument

    @property
    def widths(self) -> FloatArray:
        """The distance over which the atom changes, in each box, ``(n,)``; zero where it jumps."""
        speeds = np.linalg.norm(self.boxes.rates, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(self.rates > 0, speeds / self.rates, np.inf).min(axis=1))


def find_in_atom(atom: Atom, chart: Chart, coordinates: tuple[sp.Symbol, ...]) -> Found | None:
    """Where an atom is narrow; None where its argument cannot be enclosed."""
    enclosure = _with_slopes(atom.argument, coordinates)
    return None if enclosure is None else _Search(atom, chart, enclosure).run()


@lru_cache(maxsize=256)  # the data of a polygon's sides are often the same
def _with_slopes(argument: sp.Expr, coordinates: tuple[sp.Symbol, ...]) -> Enclosure | None:
    return enclose([argument, *(sp.diff(argument, x) for x in coordinates)], coordinates)


@dataclass(eq=False)
class _Search:
    atom: Atom
    chart: Chart
    enclosure: Enclosure
    top: float = -np.inf

    def run(self) -> Found:
        boxes, kept, threshold = self._first(), [], None
        while True:
            argument, slopes = self._enclosed(boxes)
            self._raise_top(boxes, argument)
            if threshold is None:
                usual = float(np.median((slopes * self.chart.extent).max(axis=1))) if self.atom.everywhere else 0.0
                threshold = max(NARROW, FEW * usual)
            factors = self.atom.law(argument, self.top)[:, None]
            with np.errstate(invalid="ignore"):
                rates = np.where((factors == 0) | (slopes == 0), 0.0, factors * slopes)
            narrow = np.any(rates * self.chart.extent > threshold, axis=1)
            boxes, rates, slopes = boxes.select(narrow), rates[narrow], slopes[narrow]
            changes = rates * boxes.widths
            small = np.all(changes <= FEW, axis=1)
            done = small | np.all((boxes.widths <= ROUNDED * self.chart.extent) | (slopes == 0), axis=1)
            kept.append((boxes.select(done), rates[done], small[done]))
            boxes, rates, slopes = boxes.select(~done), rates[~done], slopes[~done]
            if len(boxes) == 0 or len(boxes) + sum(len(one[0]) for one in kept) > _MOST_BOXES:
                kept.append((boxes, rates, np.zeros(len(boxes), dtype=np.bool_)))
                return self._found(kept)
            boxes = boxes.halved(self._axes(boxes, rates, slopes))

    def _first(self) -> Boxes:
        boxes = self.chart.whole
        parameters = boxes.lower.shape[1]
        for axis in range(parameters):
            for _ in range(int(np.log2(_FIRST.get(parameters, 2)))):
                boxes = boxes.halved(np.full(len(boxes), axis))
        return boxes

    def _enclosed(self, boxes: Boxes) -> tuple[Intervals, FloatArray]:
        """The argument over each box, and its largest change over a unit of each parameter, ``(n, p)``."""
        argument, *slopes = self.enclosure(*self.chart.coordinates(boxes))
        steepest = np.stack([np.maximum(np.abs(one.lower), np.abs(one.upper)) for one in slopes], axis=1)
        with np.errstate(invalid="ignore"):
            along = steepest[:, :, None] * boxes.rates
        return argument, np.nan_to_num(along, nan=0.0, posinf=np.inf).sum(axis=1)

    def _raise_top(self, boxes: Boxes, argument: Intervals) -> None:
        """Search for larger values of the argument, at the centers of boxes that may have them."""
        if not self.atom.from_top:
            return
        high = boxes.select(np.argsort(-argument.upper, kind="stable")[:VALUES])
        self._raise_top_at(high.centers)

    def _raise_top_at(self, unit: FloatArray) -> None:
        _, held = self.chart.place(unit)
        if held.any():
            self.top = max(self.top, float(self._values(unit[held]).max()))

    def _values(self, unit: FloatArray) -> FloatArray:
        """The argument at parameters, minus infinity where it is not known."""
        points = self.chart.points(unit)
        found = self.enclosure(points, points)[0]
        return np.where(np.isfinite(found.lower), found.lower, -np.inf)

    def _axes(self, boxes: Boxes, rates: FloatArray, slopes: FloatArray) -> NDArray[np.intp]:
        """The parameter across which to halve each box: that with the largest change."""
        endless = np.isinf(rates).any(axis=1, keepdims=True)
        along = np.where(np.isinf(slopes), 1e300, slopes) * boxes.widths
        along = np.where(np.isinf(slopes).any(axis=1, keepdims=True), boxes.widths / self.chart.extent, along)
        return np.asarray(np.argmax(np.where(endless, along, rates * boxes.widths), axis=1))

    def _found(self, kept: list[tuple[Boxes, FloatArray, BoolArray]]) -> Found:
        boxes = Boxes(
            np.concatenate([one.lower for one, _, _ in kept]),
            np.concatenate([one.upper for one, _, _ in kept]),
            np.concatenate([one.rates for one, _, _ in kept]),
        )
        rates = np.concatenate([one for _, one, _ in kept])
        small = np.concatenate([one for _, _, one in kept])
        if self.atom.from_top:  # some were kept before the largest value was known
            layers = boxes.select(~small)
            if len(layers):  # they may be far larger than the feature
                line = _line_across(layers, rates[~small], layers.centers)
                self._raise_top_at(line.moved(line.peaks(self._values)))
            argument, _ = self._enclosed(boxes)
            there = self.atom.law(argument, self.top) > 0
            boxes, rates, small = boxes.select(there), rates[there], small[there]
        return Found(boxes, rates, small, self.top)


# ---- Sampling points in the boxes

# The most points for each atom.
_POINTS = 192
# For features without a width: points at distances over this many powers of ten.
_DECADES = -np.log10(SAME)


@final
@dataclass(frozen=True, eq=False)
class Looked:
    """Sampling points of narrow features."""

    sites: Sites
    shares: FloatArray  # the share of the region that each point stands for
    widths: FloatArray  # the distance over which the function changes there


def sample_boxes(found: Found, atom: Atom, argument: Field, chart: Chart, rng: np.random.Generator) -> Looked | None:
    """Points in the boxes that were found, on the layer where a box contains one; None if none are in the region."""
    number = len(found.boxes)
    if number == 0:
        return None
    chosen = np.sort(rng.permutation(number)[:_POINTS])
    chosen = np.repeat(chosen, max(_POINTS // len(chosen), 1))
    boxes, small = found.boxes.select(chosen), found.small[chosen]
    unit = boxes.lower + rng.random(boxes.lower.shape) * boxes.widths
    # the chosen boxes stand for all
    shares = boxes.volumes * (found.boxes.volumes.sum() / boxes.volumes.sum()) / chart.volume
    widths = found.widths[chosen]
    layers = np.flatnonzero(~small)
    if layers.size:
        line = _line_across(boxes.select(layers), found.rates[chosen[layers]], unit[layers])
        places, parts, widths[layers] = _points_on_layers(line, atom, found.top, argument, chart, rng)
        unit[layers] = line.moved(np.clip(places, *chart.bounds[:, line.axes]))
        shares[layers] *= parts
    sites, held = chart.place(unit)
    held &= shares > 0.0
    if not held.any():
        return None
    return Looked(sites.select(held), shares[held], widths[held])


def _line_across(boxes: Boxes, rates: FloatArray, through: FloatArray) -> Line:
    """Lines across boxes, along the parameter with the largest change."""
    return Line(boxes, through, np.argmax(np.where(np.isinf(rates), 1e300, rates) * boxes.widths, axis=1))


def _points_on_layers(
    line: Line, atom: Atom, top: float, argument: Field, chart: Chart, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A point of each line on a layer, the share of the line that it stands for, and the width of the layer there.

    The share is zero for lines that miss the layer, if others do not.
    """

    def values(unit: FloatArray) -> FloatArray:
        return np.nan_to_num(argument(chart.points(unit)), nan=-np.inf, posinf=np.inf, neginf=-np.inf)

    low, high = line.ends
    if atom.targets[0] == atom.targets[1]:
        border, found = line.crossings(values, atom.targets[0], low, high)
        places, lengths = _points_beside(border, chart.extent[line.axes], rng)
        widths = np.zeros(len(low))
        if not found.all():  # no point lies between two borders that are very close
            start, end, passed = line.excursions(values, atom.targets[0])
            inside = ~found & passed & (start != end)
            places = np.where(inside, start + (end - start) * rng.random(len(start)), places)
            lengths, found = np.where(inside, np.abs(end - start), lengths), found | inside
    else:
        if atom.from_top:
            start, end, found = line.tops(values, top + atom.targets[0])
        else:
            start, end, found = line.stretches(values, atom.targets)
        lengths = np.abs(end - start)
        places = start + (end - start) * rng.random(len(start))
        speeds = np.linalg.norm(line.boxes.rates, axis=1)[np.arange(len(low)), line.axes]
        widths = speeds * lengths / (atom.targets[1] - atom.targets[0])
    parts = np.where(found, lengths / (high - low), 0.0 if found.any() else 1.0)
    return np.where(found, places, 0.5 * (low + high)), parts, widths


def _points_beside(border: FloatArray, extent: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Points on both sides of borders, evenly over the scales of distance, and the lengths they stand for.

    A border may be that of something small or of something large.
    """
    distances = extent / NARROW * 10.0 ** (-_DECADES * rng.random(len(border)))
    return border + rng.choice([-1.0, 1.0], len(border)) * distances, 2 * np.log(10.0) * _DECADES * distances
