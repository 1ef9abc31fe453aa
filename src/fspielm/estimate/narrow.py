"""Narrow features of the data and coefficients of a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import final
from weakref import WeakKeyDictionary

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from fspielm.arrays import FloatArray, NumberArray, real_parts, spread_out
from fspielm.estimate.amounts import FEW, MANY, NEAR, SAMPLE, SEVERAL, SITES, SMALL, ZOOMS
from fspielm.estimate.narrow_search import (
    NARROW,
    ON_LINE,
    VANISHED,
    Atom,
    Chart,
    Kind,
    Looked,
    Narrow,
    chart_of,
    find_in_atom,
    sample_boxes,
    sharp_atoms,
)
from fspielm.expr.functions import Field, make_field
from fspielm.expr.identities import complex_parts
from fspielm.geometry.boundary import Sites
from fspielm.geometry.time import regions_in
from fspielm.numerics.sampling import kronecker
from fspielm.numerics.tolerances import ROUNDED, SAME
from fspielm.problem.normal import NormalComponent, NormalDerivative
from fspielm.problem.places import Region
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# ---- Sampling, for functions that cannot be enclosed: many points, and more where values deviate from their neighbours

# Points in all, and along curves.
_POINTS = 2**17
_MOST_ALONG = 2**14
# The seconds that functions of the user's may take.
_SECONDS = 0.5
# Places with this share of the largest deviation count as equal to it.
_ALIKE = 0.2
# The points along each parameter where places with maxima are sampled more closely.
_ALONG = {1: ON_LINE, 2: 7, 3: 5}

Values = Callable[[Sites], NumberArray]


def sample_values(values: Values, chart: Chart, source: str) -> tuple[Looked | None, Look]:
    """Sample values over a chart, and zoom in where they deviate from their neighbours; and how closely it looked."""
    parameters = chart.whole.lower.shape[1]
    each = _affordable_points(values, chart)
    # a grid is the same at every call, and data are not periodic with it by chance
    along = max(round(each ** (1.0 / parameters)), 4)
    grids = [_grid(low, high, along) for low, high in zip(chart.whole.lower, chart.whole.upper, strict=True)]
    asked = [_values_at(values, chart, grid) for grid in grids]
    deviations = np.concatenate([_deviation(found.reshape((along,) * parameters)).ravel() for found in asked])
    centers = np.concatenate(grids)
    steps = np.repeat((chart.whole.widths / along), along**parameters, axis=0)
    order = _separate_maxima(centers, steps, deviations)
    known = np.concatenate(asked)
    known = known[np.isfinite(known)]
    looked = None
    if order.size:
        # a few places of a layer stand for all similar ones
        least = _ALIKE * deviations[order[0]]
        alike = np.count_nonzero(deviations > least)
        others = max(alike / (3**parameters * np.count_nonzero(deviations[order] > least)), 1.0)
        varied = max(float(np.ptp(part)) for part in real_parts(known))
        looked = _zoom(values, chart, centers[order], steps[order], varied)
        if looked is not None:
            shares = others * looked.shares
            looked = replace(looked, shares=shares / max(float(shares.sum()), 1.0))
    return looked, Look(source, 1.0 / along, len(known))


def _affordable_points(values: Values, chart: Chart) -> int:
    """The number of points on each smooth piece: fewer where functions of the user's are slow."""
    pieces = len(chart.whole)
    low, high = chart.whole.lower[0], chart.whole.upper[0]
    unit = low + (high - low) * kronecker(SITES, len(low))
    clock = [perf_counter()]
    for _ in range(FEW):  # the machine may be busy
        _values_at(values, chart, unit)
        clock.append(perf_counter())
    seconds = float(np.diff(clock).min()) / SITES
    most = min(_MOST_ALONG if unit.shape[1] == 1 else _POINTS, int(_SECONDS / max(seconds, SAME)))
    return max(int(chart.share * most) // pieces, MANY)


def _grid(lower: FloatArray, upper: FloatArray, along: int) -> FloatArray:
    """Centers of the cells of a grid over a box, ``(along**p, p)``."""
    axes = [low + (high - low) * (np.arange(along) + 0.5) / along for low, high in zip(lower, upper, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(lower))


def _values_at(values: Values, chart: Chart, unit: FloatArray) -> NumberArray:
    """Values at parameters; NaN outside of the region."""
    sites, held = chart.place(unit)
    return spread_out(values(sites.select(held)), held)


def _deviation(values: NumberArray) -> FloatArray:
    """The largest deviation of each value from the mean of its neighbours along an axis; zero where not known."""
    largest = np.zeros(values.shape)
    for axis in range(values.ndim):
        moved = np.moveaxis(values, axis, 0)
        bent = np.abs(moved[1:-1] - 0.5 * (moved[:-2] + moved[2:]))
        view = np.moveaxis(largest, axis, 0)
        view[1:-1] = np.fmax(view[1:-1], bent)
    return np.nan_to_num(largest, nan=0.0)


def _separate_maxima(centers: FloatArray, steps: FloatArray, deviations: FloatArray) -> NDArray[np.intp]:
    """The places with the largest deviations, no two of them neighbours."""
    few = np.argpartition(-deviations, min(NEAR * MANY, len(deviations) - 1))[: NEAR * MANY]
    left = few[np.argsort(-deviations[few], kind="stable")]
    left = left[deviations[left] > 0]
    chosen: list[int] = []
    while left.size and len(chosen) < MANY:
        best = left[0]
        chosen.append(int(best))
        left = left[np.any(np.abs(centers[left] - centers[best]) > 3.5 * steps[best], axis=1)]
    return np.asarray(chosen, dtype=np.intp)


def _zoom(values: Values, chart: Chart, centers: FloatArray, steps: FloatArray, varied: float) -> Looked | None:
    """Points around each center, and around the largest deviation there; `varied` is the range of all values."""
    parameters = centers.shape[1]
    along = _ALONG.get(parameters, 3)
    offsets = _grid(np.full(parameters, -1.5), np.full(parameters, 1.5), along)
    speeds = np.linalg.norm(chart.whole.rates.max(axis=0), axis=0)
    spread = np.linspace(0, len(offsets) - 1, min(SEVERAL, len(offsets))).astype(int)
    kept, shares, widths = [], [], []
    for _ in range(ZOOMS):
        unit = np.clip(centers[:, None] + offsets * steps[:, None], *chart.bounds)
        found = _values_at(values, chart, unit.reshape(-1, parameters)).reshape(len(centers), *(along,) * parameters)
        bent = np.stack([_deviation(one) for one in found]).reshape(len(centers), -1)
        best = np.argmax(bent, axis=1)
        inner = 3.0 * steps / along
        with np.errstate(divide="ignore"):
            width = np.sqrt(varied / (2 * bent.max(axis=1)))
        peaks = unit[np.arange(len(unit)), best]
        for picked in (unit[:, spread], peaks[:, None]):
            kept.append(picked.reshape(-1, parameters))
            volume = np.prod(3.0 * steps, axis=1) / (len(spread) + 1)
            shares.append(np.repeat(volume, picked.shape[1]) / chart.volume)
            widths.append(np.repeat(width * (inner * speeds).max(axis=1), picked.shape[1]))
        centers, steps = peaks, inner
    sites, held = chart.place(np.concatenate(kept))
    if not held.any():
        return None
    return Looked(sites.select(held), np.concatenate(shares)[held], np.concatenate(widths)[held])


# ---- The narrow features of every datum and coefficient of a problem


@final
@dataclass(frozen=True)
class Look:
    """How closely a datum or coefficient was sampled.

    Attributes
    ----------
    source : str
    width : float
        The resolution relative to the extent: narrower features may have been missed.
    places : int
        The number of points.
    """

    source: str
    width: float
    places: int

    def __str__(self) -> str:
        return (
            f"{self.source} was looked at in {self.places} places: what is narrower than {self.width:.1g} of the "
            "extent may have been missed"
        )


@final
@dataclass(frozen=True, eq=False)
class NarrowPlaces:
    """The narrow features of a problem.

    Attributes
    ----------
    places : tuple of Narrow
    looks : tuple of Look
        For data that could only be sampled.
    """

    places: tuple[Narrow, ...] = ()
    looks: tuple[Look, ...] = ()


def find_narrow(problem: Problem) -> NarrowPlaces:
    """Find the narrow features of the data and coefficients of a problem, with places and widths.

    Expressions are enclosed over boxes, so that no feature is too narrow to be found. Callables, and expressions that
    cannot be enclosed, are sampled; `NarrowPlaces.looks` says how closely.
    """
    # the materials at interfaces are those of the equations
    relations = [each for each in problem.relations if each.region.kind != "interface" or each.value.constant is None]
    found = [narrow_features(problem, relation) for relation in relations]
    return NarrowPlaces(tuple(p for one in found for p in one.places), tuple(s for one in found for s in one.looks))


@dataclass(eq=False)
class _Cache:
    """What was found on a region so far: coefficients remain when data change, and share functions."""

    chart: Chart | None
    atoms: dict[Atom, Looked | bool] = field(default_factory=dict)
    fields: WeakKeyDictionary[Field, NarrowPlaces] = field(default_factory=WeakKeyDictionary)


_caches: WeakKeyDictionary[Region, _Cache] = WeakKeyDictionary()


def narrow_features(problem: Problem, relation: Relation) -> NarrowPlaces:
    """The narrow features of the value and the coefficients of a relation."""
    if relation.region not in _caches:
        _caches[relation.region] = _Cache(chart_of(problem, relation))
    cache = _caches[relation.region]
    # cells resolve a steep iterate; in time, where it may steepen, it is searched like given data
    made = problem.outlines if problem.domain.time is None or problem.dimension > 2 else {}
    of = "the right-hand side" if relation.condition is None else f"the value of {relation.name!r}"
    fields = relation.operator.fields | ({} if relation.value.constant is not None else {relation.value: of})
    for one, source in fields.items():
        if cache.chart is not None and one not in cache.fields:
            cache.fields[one] = _search(one, source, cache, cache.chart, made)
    found = [cache.fields[one] for one in fields if one in cache.fields]
    places = list({id(place.sites): place for one in found for place in one.places}.values())  # each once
    regions = regions_in(problem.domain)
    if regions is not None and problem.interfaces:  # the jump across an interface is known
        each = [(place, regions.region_of(place.sites.points[:, : regions.dimension])) for place in places]
        places = [place for place, numbers in each if len(np.unique(numbers)) == 1]
    return NarrowPlaces(tuple(places), tuple(look for one in found for look in one.looks))


def _search(one: Field, source: str, cache: _Cache, chart: Chart, made: Mapping[sp.Basic, sp.Expr]) -> NarrowPlaces:
    """The narrow features of a field; functions `made` by an iterate are replaced by their outlines."""
    places: list[Narrow] = []
    complete = isinstance(one.source, sp.Expr) and (not one.needs_normals or _is_of_normals(one.source))
    if isinstance(one.source, sp.Expr):
        expression = one.source.xreplace(made)
        each = [sharp_atoms(part) for part in complex_parts(expression) or (expression,)]
        atoms = list(dict.fromkeys(atom for found, _ in each for atom in found))
        complete = complete and all(all_known for _, all_known in each) and len(atoms) <= MANY
        for atom in atoms[:MANY]:
            if atom not in cache.atoms:
                cache.atoms[atom] = _search_atom(atom, chart, one.arguments)
            looked = cache.atoms[atom]
            if isinstance(looked, bool):
                complete = complete and looked
            else:
                places += _places(looked, atom, chart, source)
    if complete:
        return NarrowPlaces(tuple(places))

    def values(sites: Sites) -> NumberArray:
        found = one(sites.points, sites.normals)
        return np.where(np.isfinite(found), found, np.nan)

    sampled, look = sample_values(values, chart, source)
    if sampled is not None:
        places += _places(sampled, None, chart, source)
    return NarrowPlaces(tuple(places), (look,))


def _is_of_normals(source: sp.Expr) -> bool:
    """Whether it consists of the normal and numbers, and so is no narrower than the bends of the boundary."""
    return (
        not source.atoms(AppliedUndef, NormalDerivative)
        and not source.xreplace(dict.fromkeys(source.atoms(NormalComponent), sp.S.One)).free_symbols
    )


def _search_atom(atom: Atom, chart: Chart, arguments: tuple[sp.Symbol, ...]) -> Looked | bool:
    """Where an atom is narrow; otherwise whether it is known not to be."""
    if not atom.argument.free_symbols <= set(arguments):
        return False
    found = find_in_atom(atom, chart, arguments)
    if found is None:  # it contains callables of the user's, or special functions
        return False
    if not len(found.boxes):
        return True
    return sample_boxes(found, atom, make_field(atom.argument, arguments), chart, np.random.default_rng(0)) or True


def _places(looked: Looked, atom: Atom | None, chart: Chart, source: str) -> list[Narrow]:
    """Group points that are close to each other into places."""
    lower, upper = chart.coordinates(chart.whole)
    points, extent = looked.sites.points, float((upper.max(axis=0) - lower.min(axis=0)).max())
    widths = np.where(np.isfinite(looked.widths), looked.widths, 0.0)
    reach = max(SMALL * extent, VANISHED * float(np.median(widths)))
    labels = _groups(points, reach)
    sizes = np.bincount(labels)
    if len(sizes) > MANY or sizes.max() < FEW:
        labels = np.zeros(len(points), dtype=np.intp)
    else:  # small groups join the largest one
        labels = np.where(sizes[labels] < FEW, np.argmax(sizes), labels)
    places = []
    for label in np.unique(labels):
        here = labels == label
        width = float(looked.widths[here].min())
        kind: Kind = "narrow"
        if atom is not None and width <= ROUNDED * extent:
            kind = atom.kind
        elif atom is None and width > extent / NARROW:
            kind = "smooth"
        box = points[here].min(axis=0), points[here].max(axis=0)
        some = np.flatnonzero(here)
        if kind == "smooth":
            some = some[:: max(len(some) // SAMPLE, 1)]
        shares = looked.shares[some] * (looked.shares[here].sum() / looked.shares[some].sum())
        places.append(Narrow(source, kind, *box, width, looked.sites.select(some), shares))
    return places


def _groups(points: FloatArray, reach: float) -> NDArray[np.intp]:
    """The group of each point: neighbours in a group are no farther apart than `reach`."""
    # for a few hundred points; loading SciPy's modules takes longer than this
    near = np.sum((points[:, None, :] - points[None, :, :]) ** 2, axis=2) <= reach**2
    labels = np.full(len(points), -1, dtype=np.intp)
    while (labels < 0).any():
        found, number = np.array([np.argmin(labels)]), labels.max() + 1
        while len(found):  # the neighbours of the points found last
            labels[found] = number
            found = np.flatnonzero(near[found].any(axis=0) & (labels < 0))
    return labels
