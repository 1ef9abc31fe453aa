"""Transparent objects: the media inside, and conditions between both sides."""

from __future__ import annotations

import cmath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import Value
from fspielm.geometry.boundary import BoundaryPart
from fspielm.geometry.domain import Domain
from fspielm.geometry.exterior import Exterior
from fspielm.numerics.tolerances import ROUNDED
from fspielm.problem.operator import (
    Coefficient,
    Operator,
    Term,
    along_normal,
    cache_by_object,
    field_coefficient,
    identity,
    product,
)
from fspielm.problem.places import Region, Where, piece_of, probe, whole_part
from fspielm.problem.setting import Rule, Setting
from fspielm.problem.statement import AnyCondition, BoundaryCondition, Relation, distinct, regions_of
from fspielm.problem.substitutions import Substitutions, as_written, is_plain_callable, number_in

if TYPE_CHECKING:
    from fspielm.problem.problem import Problem


def grows(wavenumber: complex) -> bool:
    """Whether a wave grows in its direction of travel, for a time factor exp(-i omega t)."""
    return wavenumber.imag < -ROUNDED * abs(wavenumber)


def radiating_root(square: complex) -> complex:
    """The square root whose waves radiate or decay, for a time factor exp(-i omega t)."""
    root = cmath.sqrt(square)
    return -root if grows(root) else root


# The number of the field inside in rules, next to 0 for the one around, before objects are known.
INSIDE = 1
_WAVENUMBER = "Transparent: wavenumber"


@final
@dataclass(frozen=True)
class Transparent(BoundaryCondition):
    """Transparent objects of an open domain: waves of the same kind inside, with another wavenumber.

    The value is continuous across the boundary, and so is the flux: the normal derivative, which counts times `flux`
    inside. Other objects with their own conditions may lie inside, and `flux` applies around them as well.

    Parameters
    ----------
    wavenumber : number or Expr
        The wavenumber inside, which may vary with the coordinates. With losses it is complex, with a positive imaginary
        part.
    flux : number or Expr
        Factor of the normal derivative inside, relative to that outside of all objects: one over the square of the
        index of refraction for a magnetic field along the object, the ratio of densities outside and inside for sound;
        one by default.
    on : str, list of str, SymPy relation or callable mask, optional
        Whole objects, named by the parts of their boundaries as for `Dirichlet`; all by default.
    weight : float
        As for `Dirichlet`.
    """

    wavenumber: Value
    flux: Value = 1.0
    on: Where | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "transparent"
    repeats: ClassVar[bool] = True

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """Values and fluxes are equal inside and outside."""
        if not setting.domain.is_unbounded:
            raise ProblemError(
                "Transparent is for objects of open domains, fs.Exterior(...); on bounded ones state materials with "
                "fs.Regions and fs.ByRegion"
            )
        if len(setting.unknowns) > 1:
            raise ProblemError("Transparent is for one unknown; in elastic bodies objects are rigid or cavities")
        self.square(setting)  # checks the wavenumber
        value, slope = identity(setting.dimension), along_normal(setting.dimension)
        zero, factor = setting.field(0, "zero"), self.factor(setting.givens)
        return (
            Rule(value + value.times(-1.0).on(INSIDE), zero, "value"),
            Rule(slope + slope.times(-factor).on(INSIDE), zero, "flux"),
        )

    def factor(self, givens: Substitutions) -> complex:
        """The factor of the flux as a number."""
        number = number_in(self.flux, givens, "Transparent: flux")
        if number == 0:
            raise ProblemError("Transparent: flux must not be zero, for nothing would go in: state fs.Neumann(0)")
        return number

    def square(self, setting: Setting) -> Coefficient:
        """The square of the wavenumber as a coefficient."""
        if is_plain_callable(self.wavenumber):
            raise ProblemError(
                "Transparent: wavenumber must be a number or an expression; write a function of the coordinates, as in "
                'sp.Function("q")(x, y), and give the callable, given={q: callable}'
            )
        known = setting.givens.substitute(as_written(self.wavenumber, _WAVENUMBER))
        if known.free_symbols or not known.is_number:
            return field_coefficient(setting.field(known**2, _WAVENUMBER), _WAVENUMBER)
        number = number_in(known, setting.givens, _WAVENUMBER)
        self._check(number != 0)
        return number**2

    def check_loss(self, setting: Setting) -> None:
        """Refuse waves that grow inside of objects; they may in resonances, where they grow outside as well."""
        square = self.square(setting)
        if not callable(square):
            self._check(not grows(self.number(setting.givens)))

    def number(self, givens: Substitutions) -> complex:
        """The wavenumber, if it is constant."""
        return number_in(self.wavenumber, givens, _WAVENUMBER)

    def _check(self, is_right: bool) -> None:
        if not is_right:
            raise ProblemError(
                f"{_WAVENUMBER} must not be zero, nor its imaginary part negative, for a time factor exp(-i omega t); "
                f"got {self.wavenumber}"
            )


# ---- Media


NamedParts: TypeAlias = list[tuple[str, BoundaryPart]]


@final
@dataclass(frozen=True, eq=False)
class Medium:
    """The inside of a transparent object, without other objects in it.

    Attributes
    ----------
    place : int
        The index of the object in the domain.
    shape : Domain
        The object.
    condition : Transparent
    around : int
        The number of the unknown around it: 0 outside of all objects, from 1 on in media.
    flux : complex
        Factor of the normal derivative inside, relative to that around it.
    """

    place: int
    shape: Domain
    condition: Transparent
    around: int
    flux: complex


def has_media(problem: Problem) -> bool:
    """Whether an object has a field inside."""
    return any(isinstance(condition, Transparent) for condition in problem.conditions)


@cache_by_object
def media_of(problem: Problem) -> tuple[Medium, ...]:
    """The media of a problem, outer ones first; the first has the unknown number 1."""
    if not has_media(problem):
        return ()
    parts = problem.domain.boundary([str(symbol) for symbol in problem.coordinates])
    return _media_in(problem.conditions, replace(problem.setting, unknowns=problem.unknowns[:1], parts=parts))


def medium_at(problem: Problem, points: FloatArray) -> NDArray[np.int_]:
    """The number of the unknown at each point ``(n, d)``; boundaries belong to the medium around."""
    found = np.zeros(len(points), dtype=np.int_)
    for number, medium in enumerate(media_of(problem), 1):
        found[medium.shape._contains(points, False)] = number
    return found


def outer_relations(relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """The relations of the field outside alone: transparent objects prescribe its value, as other conditions do."""

    def outer(operator: Operator) -> Operator:
        return Operator(operator.dimension, tuple(term for term in operator.terms if term.unknown != INSIDE))

    found = []
    for relation in relations:
        if not isinstance(relation.condition, Transparent):
            found.append(relation)
        elif relation.operator.order == 0:
            found.append(replace(relation, operator=outer(relation.operator)))
    return tuple(found)


def transmission_relations(
    relations: Sequence[Relation], conditions: Sequence[AnyCondition], setting: Setting
) -> tuple[Relation, ...]:
    """The relations by object, between the unknowns on both sides; refused if an opaque object contains another."""
    domain, media = setting.domain, _media_in(conditions, setting)
    assert isinstance(domain, Exterior)  # that has objects
    numbers = {medium.place: number for number, medium in enumerate(media, 1)}
    objects, found = _parts_by_object(domain, setting), []
    for relation in relations:
        if relation.condition is None:
            found.append(relation)
            continue
        for place, region in _by_object(relation.region, objects):
            around = _unknown_around(domain, place, numbers)
            medium = media[numbers[place] - 1] if place in numbers else None
            share = 1.0 if medium is None else medium.flux / medium.condition.factor(setting.givens)
            operator = _between_unknowns(relation.operator, around, numbers.get(place, around), share)
            name = relation.name.replace(relation.region.label, region.label, 1)
            found.append(replace(relation, name=name, operator=operator, region=region))
    return tuple(distinct(found))


def _media_in(conditions: Sequence[AnyCondition], setting: Setting) -> tuple[Medium, ...]:
    domain = setting.domain
    assert isinstance(domain, Exterior)
    objects = _parts_by_object(domain, setting)
    found: dict[int, Transparent] = {}
    for condition, regions in zip(conditions, regions_of(conditions, setting), strict=True):
        if isinstance(condition, Transparent):
            found |= dict.fromkeys(_whole_objects(regions, domain, objects), condition)
    order = sorted(found, key=lambda place: len(list(_enclosing_objects(domain, place))))
    numbers = {place: number for number, place in enumerate(order, 1)}
    media: list[Medium] = []
    for place in order:
        around = _unknown_around(domain, place, numbers)
        factor, outer = (
            found[one].factor(setting.givens) if one in found else 1.0 for one in (place, domain.around[place])
        )
        flux = factor if outer == 1.0 else factor / outer
        media.append(Medium(place, domain.shapes[place], found[place], around, flux))
    return tuple(media)


def _enclosing_objects(domain: Exterior, place: int) -> Iterator[int]:
    """The indices of the objects around one, innermost first."""
    while (place := domain.around[place]) >= 0:
        yield place


def _unknown_around(domain: Exterior, place: int, numbers: dict[int, int]) -> int:
    """The number of the unknown around an object."""
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
    """The indices of the objects that regions cover; refused if one is covered in part."""
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
    """The objects that a region of the boundary touches, each with its piece of the region."""
    assert region.part is not None  # on a boundary
    own = [(place, part) for place, parts in enumerate(objects) for name, part in parts if name == region.part.name]
    if len(own) == 1:
        yield own[0][0], region
        return
    for place, part in own:
        pieces = [whole_part(part)] if region.mask is None else piece_of(part, region.mask, region.sharp)
        yield from ((place, piece) for piece in pieces)


def _parts_by_object(domain: Exterior, setting: Setting) -> list[NamedParts]:
    """The parts of each object, each after its name among the parts of all objects."""
    axes = [str(symbol) for symbol in setting.coordinates]
    names = [[part.name for part in shape.boundary(axes)] for shape in domain.shapes]
    return [list(zip(*each, strict=True)) for each in zip(names, domain.object_parts(axes), strict=True)]


def _between_unknowns(operator: Operator, around: int, inside: int, share: complex) -> Operator:
    """The operator on the unknowns `around` and `inside` an object; derivatives inside count times `share`."""

    def bound(term: Term) -> Term:
        if term.unknown != INSIDE:
            return replace(term, unknown=around)
        return replace(term, unknown=inside, coefficient=product(share if term.order else 1.0, term.coefficient))

    return Operator(operator.dimension, tuple(map(bound, operator.terms)))
