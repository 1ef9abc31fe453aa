"""What is narrow in the data and coefficients of a problem."""

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
from fspielm.estimate.narrow_search import (
    Atom,
    Chart,
    Kind,
    Looked,
    Narrow,
    chart_of,
    find_narrow,
    points_in,
    sharp_atoms,
)
from fspielm.expr.functions import Field, make_field
from fspielm.expr.identities import complex_parts
from fspielm.geometry.boundary import Sites
from fspielm.geometry.time import regions_in
from fspielm.numerics.sampling import kronecker
from fspielm.problem.normal import NormalComponent, NormalDerivative
from fspielm.problem.places import Region
from fspielm.problem.problem import Problem
from fspielm.problem.statement import Relation

# ---- What cannot be enclosed is sampled: many points, and more of them where values stand out


# Points in all, and along curves; on each piece at least.
_POINTS = 2**17
_MOST_ALONG = 2**14
_FEWEST = 16
# The time that functions of the user's may take for it, in seconds.
_SECONDS = 0.5
# Points that are tried first, and how often: the machine may be busy with something else.
_TRIED = 512
_TIMES = 3
# Places that are looked at more closely, how often, and the points along each parameter then.
_STANDING_OUT = 24
_ZOOMS = 3
_ALONG = {1: 17, 2: 7, 3: 5}
# Places that stand out by this share of the one that does most are like it.
_ALIKE = 0.2
# Points kept of each place.
_KEPT = 8

Values = Callable[[Sites], NumberArray]


@final
@dataclass(frozen=True, eq=False)
class Sampled:
    """What sampling found.

    Attributes
    ----------
    looked : Looked or None
        Points where values stand out.
    resolution : float
        The distance between neighbours, as a share of the extent: what is narrower may have been missed.
    places : int
        How many points were looked at.
    """

    looked: Looked | None
    resolution: float
    places: int


def look_at_samples(values: Values, chart: Chart) -> Sampled:
    """Sample values over a chart, and zoom in where they are not what their neighbours suggest."""
    parameters = chart.whole.lower.shape[1]
    each = _affordable(values, chart)
    # what was read from a grid is the same at every call; no data are periodic with it by chance
    along = max(round(each ** (1.0 / parameters)), 4)
    grids = [_grid(low, high, along) for low, high in zip(chart.whole.lower, chart.whole.upper, strict=True)]
    shape = (along,) * parameters
    asked = [_ask(values, chart, grid) for grid in grids]
    deviations = np.concatenate([_deviation(found.reshape(shape)).ravel() for found in asked])
    centers = np.concatenate(grids)
    steps = np.repeat((chart.whole.widths / along), along**parameters, axis=0)
    order = _apart(centers, steps, deviations)
    known = np.concatenate(asked)
    known = known[np.isfinite(known)]
    looked = None
    if order.size:
        # of a layer, a few places stand for all the others that are like them
        alike = np.count_nonzero(deviations > _ALIKE * deviations[order[0]])
        others = max(alike / (3**parameters * np.count_nonzero(deviations[order] > _ALIKE * deviations[order[0]])), 1.0)
        looked = _zoom(values, chart, centers[order], steps[order], _variation(known))
        if looked is not None:
            shares = others * looked.shares
            looked = replace(looked, shares=shares / max(float(shares.sum()), 1.0))
    return Sampled(looked, 1.0 / along, len(known))


def _affordable(values: Values, chart: Chart) -> int:
    """How many points each smooth piece gets: fewer where functions of the user's are slow."""
    pieces = len(chart.whole)
    low, high = chart.whole.lower[0], chart.whole.upper[0]
    unit = low + (high - low) * kronecker(_TRIED, len(low))
    seconds = min(_timed(lambda: _ask(values, chart, unit)) for _ in range(_TIMES)) / _TRIED
    most = min(_MOST_ALONG if unit.shape[1] == 1 else _POINTS, int(_SECONDS / max(seconds, 1e-9)))
    return max(int(chart.share * most) // pieces, _FEWEST)


def _timed(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def _grid(lower: FloatArray, upper: FloatArray, along: int) -> FloatArray:
    """Centers of the cells of a grid over a box, ``(along**p, p)``."""
    axes = [low + (high - low) * (np.arange(along) + 0.5) / along for low, high in zip(lower, upper, strict=True)]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(lower))


def _ask(values: Values, chart: Chart, unit: FloatArray) -> NumberArray:
    """Values at parameters; NaN where those do not belong to the region."""
    sites, held = chart.place(unit)
    return spread_out(values(sites.select(held)), held)


def _deviation(values: NumberArray) -> FloatArray:
    """How far each value is from the mean of its neighbours along any axis; zero where those are not known."""
    largest = np.zeros(values.shape)
    for axis in range(values.ndim):
        moved = np.moveaxis(values, axis, 0)
        bent = np.abs(moved[1:-1] - 0.5 * (moved[:-2] + moved[2:]))
        view = np.moveaxis(largest, axis, 0)
        view[1:-1] = np.fmax(view[1:-1], bent)
    return np.nan_to_num(largest, nan=0.0)


def _variation(values: NumberArray) -> float:
    """The difference of the largest and the least value: of real or of imaginary parts, whichever is larger."""
    return max(float(np.ptp(part)) for part in real_parts(values))


def _apart(centers: FloatArray, steps: FloatArray, deviations: FloatArray) -> NDArray[np.intp]:
    """The places that stand out most, no two of them neighbours."""
    few = np.argpartition(-deviations, min(64 * _STANDING_OUT, len(deviations) - 1))[: 64 * _STANDING_OUT]
    left = few[np.argsort(-deviations[few], kind="stable")]
    left = left[deviations[left] > 0]
    chosen: list[int] = []
    while left.size and len(chosen) < _STANDING_OUT:
        best = left[0]
        chosen.append(int(best))
        left = left[np.any(np.abs(centers[left] - centers[best]) > 3.5 * steps[best], axis=1)]
    return np.asarray(chosen, dtype=np.intp)


def _zoom(values: Values, chart: Chart, centers: FloatArray, steps: FloatArray, varied: float) -> Looked | None:
    """Points about each of these places, and about where values stand out most there.

    All of the values differ by as much as `varied`.
    """
    parameters = centers.shape[1]
    along = _ALONG.get(parameters, 3)
    offsets = _grid(np.full(parameters, -1.5), np.full(parameters, 1.5), along)
    spread = np.linspace(0, len(offsets) - 1, min(_KEPT, len(offsets))).astype(int)
    kept, shares, widths = [], [], []
    for _ in range(_ZOOMS):
        unit = np.clip(centers[:, None] + offsets * steps[:, None], *chart.bounds)
        found = _ask(values, chart, unit.reshape(-1, parameters)).reshape(len(centers), *(along,) * parameters)
        bent = np.stack([_deviation(one) for one in found]).reshape(len(centers), -1)
        best = np.argmax(bent, axis=1)
        inner = 3.0 * steps / along
        with np.errstate(divide="ignore"):
            width = np.sqrt(varied / (2 * bent.max(axis=1)))
        for which in (spread, best):
            picked = unit[:, which] if which is spread else unit[np.arange(len(unit)), which][:, None]
            kept.append(picked.reshape(-1, parameters))
            volume = np.prod(3.0 * steps, axis=1) / (len(spread) + 1)
            shares.append(np.repeat(volume, picked.shape[1]) / chart.volume)
            widths.append(np.repeat(width * _length(chart, inner), picked.shape[1]))
        centers, steps = unit[np.arange(len(unit)), best], inner
    sites, held = chart.place(np.concatenate(kept))
    if not held.any():
        return None
    return Looked(sites.select(held), np.concatenate(shares)[held], np.concatenate(widths)[held])


def _length(chart: Chart, steps: FloatArray) -> FloatArray:
    """How long steps of the parameters are in coordinates, ``(n,)``."""
    speeds = np.linalg.norm(chart.whole.rates.max(axis=0), axis=0)
    return np.asarray((steps * speeds).max(axis=1))


# ---- Every datum and coefficient of a problem, looked at for what is narrow in it


# An expression of more functions than this is sampled.
_MOST_ATOMS = 24
# Points closer than this, relative to the extent, or than so many widths, belong to one place.
_TOGETHER = 0.1
_WIDTHS = 8.0
# Of the extent: what has no width, and what is not narrow.
_NO_WIDTH, _WIDE = 1e-10, 1 / 15
# Places of one atom at most, and points of one at least.
_MOST_PLACES = 32
_FEW = 5
# Points of a place that is not narrow, about.
_ENOUGH = 128


@final
@dataclass(frozen=True)
class Look:
    """How a datum or coefficient was looked at, where that was by sampling.

    Attributes
    ----------
    source : str
    width : float
        As a share of the extent: whatever is narrower may have been missed.
    places : int
        How many points were looked at.
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
class Scrutiny:
    """What was found.

    Attributes
    ----------
    places : tuple of Narrow
    looks : tuple of Look
        Of what could only be sampled.
    """

    places: tuple[Narrow, ...] = ()
    looks: tuple[Look, ...] = ()


def scrutinise(problem: Problem) -> Scrutiny:
    """Whatever is narrow in the data and the coefficients of a problem, with its place and width.

    Expressions are enclosed over boxes: nothing in them is too narrow to be found. Callables, and what cannot be
    enclosed, are sampled; `Scrutiny.looks` says how closely.
    """
    # the materials beside interfaces are those of the equations
    looked = [each for each in problem.relations if each.region.kind != "interface" or each.value.constant is None]
    found = [look_closely(problem, relation) for relation in looked]
    return Scrutiny(tuple(p for one in found for p in one.places), tuple(s for one in found for s in one.looks))


@dataclass(eq=False)
class _Known:
    """What was found on a region so far: coefficients stay when data change, and share their functions."""

    chart: Chart | None
    atoms: dict[Atom, Looked | bool] = field(default_factory=dict)
    fields: WeakKeyDictionary[Field, Scrutiny] = field(default_factory=WeakKeyDictionary)


_known: WeakKeyDictionary[Region, _Known] = WeakKeyDictionary()


def look_closely(problem: Problem, relation: Relation) -> Scrutiny:
    """Whatever is narrow in the value and the coefficients of a relation."""
    if relation.region not in _known:
        _known[relation.region] = _Known(chart_of(problem, relation))
    known = _known[relation.region]
    # cells hold an iterate however steep it is, and in time that may grow: it is looked at as closely as what was given
    made = problem.outlines if problem.domain.time is None or problem.dimension > 2 else {}
    found = [_of_field(one, source, known, made) for one, source in _fields(relation).items()]
    places = {
        id(place.sites): place  # each once, for the first that has it
        for one in found
        for place in one.places
        if not _is_between_materials(problem, place)
    }
    return Scrutiny(tuple(places.values()), tuple(look for one in found for look in one.looks))


def _is_between_materials(problem: Problem, place: Narrow) -> bool:
    """Whether what changes there does so from region to region: interfaces know of that jump."""
    regions = regions_in(problem.domain)
    if regions is None or not problem.interfaces:
        return False
    return len(np.unique(regions.region_of(place.sites.points[:, : regions.dimension]))) > 1


def _fields(relation: Relation) -> dict[Field, str]:
    of = "the right-hand side" if relation.condition is None else f"the value of {relation.name!r}"
    return relation.operator.fields | ({} if relation.value.constant is not None else {relation.value: of})


def _of_field(one: Field, source: str, known: _Known, made: Mapping[sp.Basic, sp.Expr]) -> Scrutiny:
    if one not in known.fields:
        known.fields[one] = Scrutiny() if known.chart is None else _look(one, source, known, known.chart, made)
    return known.fields[one]


def _look(one: Field, source: str, known: _Known, chart: Chart, made: Mapping[sp.Basic, sp.Expr]) -> Scrutiny:
    """All of a field; functions that are `made` by an iterate are no narrower than what else is in them."""
    places: list[Narrow] = []
    complete = isinstance(one.source, sp.Expr) and (not one.needs_normals or _is_of_normals(one.source))
    if isinstance(one.source, sp.Expr):
        atoms, all_known = _atoms(one.source.xreplace(made))
        complete = complete and all_known and len(atoms) <= _MOST_ATOMS
        for atom in atoms[:_MOST_ATOMS]:
            if atom not in known.atoms:
                known.atoms[atom] = _of_atom(atom, chart, one.arguments)
            looked = known.atoms[atom]
            if isinstance(looked, bool):
                complete = complete and looked
            else:
                places += _places(looked, atom, chart, source)
    if complete:
        return Scrutiny(tuple(places))

    sampled = look_at_samples(lambda sites: _finite(one, sites), chart)
    if sampled.looked is not None:
        places += _places(sampled.looked, None, chart, source)
    return Scrutiny(tuple(places), (Look(source, sampled.resolution, sampled.places),))


def _is_of_normals(source: sp.Expr) -> bool:
    """Whether it is made of the normal and numbers alone: no narrower than the bends of the boundary itself."""
    return (
        not source.atoms(AppliedUndef, NormalDerivative)
        and not source.xreplace(dict.fromkeys(source.atoms(NormalComponent), sp.S.One)).free_symbols
    )


def _atoms(source: sp.Expr) -> tuple[list[Atom], bool]:
    """The atoms of an expression, of a complex one those of both parts; and whether that is all there is to know."""
    found = [sharp_atoms(part) for part in complex_parts(source) or (source,)]
    atoms = dict.fromkeys(atom for each, _ in found for atom in each)
    return list(atoms), all(complete for _, complete in found)


def _of_atom(atom: Atom, chart: Chart, arguments: tuple[sp.Symbol, ...]) -> Looked | bool:
    """Where an atom is narrow; otherwise whether that is known."""
    if not atom.argument.free_symbols <= set(arguments):
        return False
    found = find_narrow(atom, chart, arguments)
    if found is None:  # functions of the user's in it, or special ones
        return False
    if not len(found.boxes):
        return True

    return points_in(found, atom, make_field(atom.argument, arguments), chart, np.random.default_rng(0)) or True


def _finite(one: Field, sites: Sites) -> NumberArray:
    values = one(sites.points, sites.normals)
    return np.where(np.isfinite(values), values, np.nan)


def _places(looked: Looked, atom: Atom | None, chart: Chart, source: str) -> list[Narrow]:
    """Points that are close to each other make one place."""
    points, extent = looked.sites.points, _extent(chart)
    widths = np.where(np.isfinite(looked.widths), looked.widths, 0.0)
    reach = max(_TOGETHER * extent, _WIDTHS * float(np.median(widths)))
    number, labels = _groups(points, reach)
    sizes = np.bincount(labels)
    if number > _MOST_PLACES or sizes.max() < _FEW:
        labels = np.zeros(len(points), dtype=np.intp)
    else:  # a few points by themselves go with the others
        labels = np.where(sizes[labels] < _FEW, np.argmax(sizes), labels)
    places = []
    for label in np.unique(labels):
        here = labels == label
        width = float(looked.widths[here].min())
        kind: Kind = "narrow"
        if atom is not None and width <= _NO_WIDTH * extent:
            kind = atom.kind
        elif atom is None and width > _WIDE * extent:
            kind = "smooth"
        box = points[here].min(axis=0), points[here].max(axis=0)
        some = np.flatnonzero(here)
        if kind == "smooth":
            some = some[:: max(len(some) // _ENOUGH, 1)]
        shares = looked.shares[some] * (looked.shares[here].sum() / looked.shares[some].sum())
        places.append(Narrow(source, kind, *box, width, looked.sites.select(some), shares))
    return places


def _groups(points: FloatArray, reach: float) -> tuple[int, NDArray[np.intp]]:
    """How many groups points make whose neighbours are no farther apart than so much, and which group each is in."""
    # by hand, for a few hundred points: the modules of SciPy that know this take longer to load than to use
    squares = np.sum((points[:, None, :] - points[None, :, :]) ** 2, axis=2)
    near = squares <= reach**2
    labels = np.full(len(points), -1, dtype=np.intp)
    number = 0
    for start in range(len(points)):
        if labels[start] >= 0:
            continue
        found = np.array([start])
        while len(found):  # those around the ones that were found last
            labels[found] = number
            found = np.flatnonzero(near[found].any(axis=0) & (labels < 0))
        number += 1
    return number, labels


def _extent(chart: Chart) -> float:
    lower, upper = chart.coordinates(chart.whole)
    return float((upper.max(axis=0) - lower.min(axis=0)).max())
