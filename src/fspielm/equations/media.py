"""Objects of open domains that let waves through: the media inside, and conditions between the fields of both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.equations.conditions import AnyCondition
from fspielm.equations.conditions.transparent import INSIDE, Transparent
from fspielm.equations.once import once
from fspielm.equations.operator import Operator, Term, product
from fspielm.equations.regions import Region, piece_of, probe, whole_part
from fspielm.equations.relations import Relation, distinct, regions_of
from fspielm.equations.setting import Setting
from fspielm.errors import ProblemError
from fspielm.geometry import BoundaryPart, Domain
from fspielm.geometry.exterior import Exterior

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem

NamedParts: TypeAlias = list[tuple[str, BoundaryPart]]


@final
@dataclass(frozen=True, eq=False)
class Medium:
    """The inside of an object, without others that lie in it.

    Attributes
    ----------
    place : int
        Of the object among those of the domain.
    shape : Domain
        The object.
    condition : Transparent
        By which it has a field inside.
    around : int
        The unknown around it: zero is that outside of all objects, the media have those from one on.
    flux : complex
        What the derivative inside is multiplied with, where that around it is by one.
    """

    place: int
    shape: Domain
    condition: Transparent
    around: int
    flux: complex


def has_media(problem: Problem) -> bool:
    """Whether an object has a field inside."""
    return any(isinstance(condition, Transparent) for condition in problem.conditions)


@once
def media_of(problem: Problem) -> tuple[Medium, ...]:
    """The media of a problem, those around others before them; the unknown of the first is that at place one."""
    if not has_media(problem):
        return ()
    outside, domain = problem.unknowns[:1], problem.domain
    parts = domain.boundary([str(symbol) for symbol in problem.coordinates])
    return _media_in(problem.conditions, Setting(outside, problem.givens, domain, parts))


def medium_at(problem: Problem, points: FloatArray) -> NDArray[np.int_]:
    """Which unknown is that of each point ``(n, d)``; boundaries belong to what is around them."""
    found = np.zeros(len(points), dtype=np.int_)
    for number, medium in enumerate(media_of(problem), 1):
        found[medium.shape._contains(points, False)] = number
    return found


def one_sided(relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """The relations with what objects that let waves through say of the field around them: values, as others do."""

    def outer(operator: Operator) -> Operator:
        return Operator(operator.dimension, tuple(term for term in operator.terms if term.unknown != INSIDE))

    return tuple(
        replace(relation, operator=outer(relation.operator)) if _lets_through(relation) else relation
        for relation in relations
        if not _lets_through(relation) or relation.operator.order == 0
    )


def between_media(
    relations: Sequence[Relation], conditions: Sequence[AnyCondition], setting: Setting
) -> tuple[Relation, ...]:
    """The relations object by object, each between the unknowns on both sides of its boundary.

    Raises
    ------
    ProblemError
        Where one lies in another that lets nothing through.
    """
    domain, media = setting.domain, _media_in(conditions, setting)
    assert isinstance(domain, Exterior)  # that has objects
    numbers = {medium.place: number for number, medium in enumerate(media, 1)}
    objects, found = _parts_by_object(domain, setting), []
    for relation in relations:
        if relation.condition is None:
            found.append(relation)
            continue
        for place, region in _by_object(relation.region, objects):
            around = _around(domain, place, numbers)
            medium = media[numbers[place] - 1] if place in numbers else None
            share = 1.0 if medium is None else medium.flux / medium.condition.factor(setting.givens)
            operator = _across(relation.operator, around, numbers.get(place, around), share)
            name = relation.name.replace(relation.region.label, region.label, 1)
            found.append(replace(relation, name=name, operator=operator, region=region))
    return tuple(distinct(found))


def _lets_through(relation: Relation) -> bool:
    return isinstance(relation.condition, Transparent)


def _media_in(conditions: Sequence[AnyCondition], setting: Setting) -> tuple[Medium, ...]:
    domain = setting.domain
    assert isinstance(domain, Exterior)
    objects = _parts_by_object(domain, setting)
    found: dict[int, Transparent] = {}
    for condition, regions in zip(conditions, regions_of(conditions, setting), strict=True):
        if isinstance(condition, Transparent):
            found |= dict.fromkeys(_whole_objects(regions, domain, objects), condition)
    order = sorted(found, key=lambda place: len(list(_outward(domain, place))))
    numbers = {place: number for number, place in enumerate(order, 1)}
    media: list[Medium] = []
    for place in order:
        around = _around(domain, place, numbers)
        factor, outer = (
            found[one].factor(setting.givens) if one in found else 1.0 for one in (place, domain.around[place])
        )
        flux = factor if outer == 1.0 else factor / outer
        media.append(Medium(place, domain.shapes[place], found[place], around, flux))
    return tuple(media)


def _outward(domain: Exterior, place: int) -> Iterator[int]:
    """The places of the objects around one, from the innermost on."""
    while (place := domain.around[place]) >= 0:
        yield place


def _around(domain: Exterior, place: int, numbers: dict[int, int]) -> int:
    """The unknown around an object."""
    outer = domain.around[place]
    if outer < 0:
        return 0
    if outer not in numbers:
        raise ProblemError(
            f"Exterior: {domain.shapes[place]!r} lies in {domain.shapes[outer]!r}, which lets nothing through; leave "
            "it out, or state fs.Transparent(...) for the one around it"
        )
    return numbers[outer]


def _whole_objects(regions: Sequence[Region], domain: Exterior, objects: Sequence[NamedParts]) -> list[int]:
    """The objects that regions cover; refuses such as are covered in part."""
    found = []
    for place, (shape, parts) in enumerate(zip(domain.shapes, objects, strict=True)):
        shares = {}
        for name, part in parts:
            points = probe(part).points
            held = np.zeros(len(points), dtype=np.bool_)
            for region in regions:
                if region.part is not None and region.part.name == name:
                    held |= True if region.mask is None else region.mask(points)
            shares[name] = float(np.mean(held))
        if all(share == 1.0 for share in shares.values()):
            found.append(place)
        elif any(shares.values()):
            covered = ", ".join(repr(name) for name, share in shares.items() if share == 1.0) or "a piece of a part"
            raise ProblemError(
                f"Transparent: on= must name whole objects; of {shape!r}, whose parts are "
                f"{', '.join(map(repr, shares))}, it has {covered} alone"
            )
    return found


def _by_object(region: Region, objects: Sequence[NamedParts]) -> Iterator[tuple[int, Region]]:
    """The places of the objects that a region of the boundary is on, and what it is there."""
    assert region.part is not None  # on a boundary
    own = [(place, part) for place, parts in enumerate(objects) for name, part in parts if name == region.part.name]
    if len(own) == 1:
        yield own[0][0], region
        return
    for place, part in own:
        pieces = [whole_part(part)] if region.mask is None else piece_of(part, region.mask, region.sharp)
        yield from ((place, piece) for piece in pieces)


def _parts_by_object(domain: Exterior, setting: Setting) -> list[NamedParts]:
    """The parts of each object by themselves, after the names that they have together with those of others."""
    axes = [str(symbol) for symbol in setting.coordinates]
    names = [[part.name for part in shape.boundary(axes)] for shape in domain.shapes]
    return [list(zip(*each, strict=True)) for each in zip(names, domain.object_parts(axes), strict=True)]


def _across(operator: Operator, around: int, inside: int, share: complex) -> Operator:
    """What is said of the fields around an object and in it, of the unknowns at these places.

    Of the flux inside, so much counts: what is around has a factor of its own.
    """

    def bound(term: Term) -> Term:
        if term.unknown != INSIDE:
            return replace(term, unknown=around)
        return replace(term, unknown=inside, coefficient=product(share if term.order else 1.0, term.coefficient))

    return Operator(operator.dimension, tuple(map(bound, operator.terms)))
