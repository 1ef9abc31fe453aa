"""Every datum and coefficient of a problem, looked at for what is narrow in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, final
from weakref import WeakKeyDictionary

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from fspielm.arrays import FloatArray, NumberArray
from fspielm.equations import NormalComponent, NormalDerivative, Problem, Region, Relation
from fspielm.expressions import Field, complex_parts, make_field
from fspielm.geometry import Sites, regions_in
from fspielm.scrutiny.atoms import Atom, sharp_atoms
from fspielm.scrutiny.charts import Chart, chart_of
from fspielm.scrutiny.narrow import Kind, Narrow
from fspielm.scrutiny.search import find_narrow

if TYPE_CHECKING:
    from fspielm.scrutiny.points import Looked

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
    from fspielm.scrutiny.sampled import look_at_samples  # functions of the user's, or special ones

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
    from fspielm.scrutiny.points import points_in

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
