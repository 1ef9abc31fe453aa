"""Complex unknowns as pairs of real ones, where their conjugates occur: real and imaginary parts of all relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.complex_parts import complex_parts
from fspielm.expr.field import Field, make_field
from fspielm.expr.values import describe
from fspielm.geometry.points import Sites
from fspielm.problem.normal import normal_symbols
from fspielm.problem.operator import Coefficient, FieldCoefficient, Operator, Product, Term, field_coefficient, product
from fspielm.problem.relations import Relation
from fspielm.problem.unknowns import Unknown

# Where it is seen whether terms cancel, and what is rounding beside them.
_SITES = 16
_ROUNDING = 1e-13

_NAMES = ("real part", "imaginary part")


def has_conjugates(relations: Sequence[Relation], unknowns: int) -> bool:
    """Whether a relation takes the conjugate of an unknown."""
    return any(term.unknown >= unknowns for relation in relations for term in relation.operator.terms)


def real_unknowns(unknowns: Sequence[Unknown]) -> tuple[Unknown, ...]:
    """The real and the imaginary part of each."""
    both = [(unknown, f"{part} {unknown.symbol.func.__name__}") for unknown in unknowns for part in ("re", "im")]
    return tuple(replace(unknown, symbol=sp.Function(name)(*unknown.symbol.args)) for unknown, name in both)


def real_relations(relations: Sequence[Relation], unknowns: int) -> tuple[Relation, ...]:
    """Both parts of each relation, as relations of `real_unknowns`; what says nothing is left out."""
    return tuple(part for relation in relations for part in _parts_of(relation, unknowns))


def _parts_of(relation: Relation, unknowns: int) -> list[Relation]:
    if isinstance(relation.region.factor, complex):
        raise ProblemError(
            f"{relation.name}: the factor {relation.region.factor:.6g} of Periodic must be real where conjugates, re, "
            "im or Abs of unknowns occur; put exp(i k x) p(x) into the equation, and let p be periodic"
        )
    terms: tuple[list[Term], list[Term]] = [], []
    for term in relation.operator.terms:
        first = 2 * (term.unknown % unknowns)
        # c (a + i b), or c (a - i b) of a conjugate
        sign = -1.0 if term.unknown >= unknowns else 1.0
        real, imaginary = _coefficient_parts(term.coefficient)
        for part, of_a, of_b, factor in ((0, real, imaginary, -sign), (1, imaginary, real, sign)):
            terms[part].extend(Term(c, term.orders, first) for c in of_a)
            terms[part].extend(Term(product(factor, c), term.orders, first + 1) for c in of_b)
    sites = relation.sample(_SITES, np.random.default_rng(0), "low-discrepancy")  # only looks
    found = []
    for part, value in enumerate(_field_parts(relation.value)):
        operator = Operator(relation.operator.dimension, _collected(terms[part], sites))
        if operator.terms:
            found.append(replace(relation, name=f"{relation.name} {_NAMES[part]}", operator=operator, value=value))
        elif value.constant != 0.0:
            raise ProblemError(
                f"{relation.name}: the {_NAMES[part]} prescribes nothing, but its value is {describe(value.source)}; "
                "make it zero"
            )
    return found


def _collected(terms: Sequence[Term], sites: Sites) -> tuple[Term, ...]:
    """The terms without those that cancel, as far as sites show: half of an unknown and half of its conjugate do."""
    alike: dict[tuple[tuple[int, ...], int], list[Term]] = {}
    for term in terms:
        alike.setdefault((term.orders, term.unknown), []).append(term)
    return tuple(term for group in alike.values() if not _cancel(group, sites) for term in group)


def _cancel(terms: Sequence[Term], sites: Sites) -> bool:
    try:
        values = np.stack([term.at(sites) for term in terms])
    except ProblemError:  # one has no value there: whoever needs it says so
        return False
    return bool(np.all(np.abs(values.sum(axis=0)) <= _ROUNDING * np.abs(values).sum(axis=0)))


def _coefficient_parts(coefficient: Coefficient) -> tuple[list[Coefficient], list[Coefficient]]:
    """Coefficients that add up to the real part, and to the imaginary part."""
    if isinstance(coefficient, Product):
        (a, b), (c, d) = _coefficient_parts(coefficient.first), _coefficient_parts(coefficient.second)
        real = [product(p, q) for p in a for q in c] + [product(-1.0, product(p, q)) for p in b for q in d]
        return real, [product(p, q) for p in a for q in d] + [product(p, q) for p in b for q in c]
    parts: Iterable[Coefficient]
    if isinstance(coefficient, FieldCoefficient):
        parts = (field_coefficient(part, coefficient.what) for part in _field_parts(coefficient.field))
    elif callable(coefficient):
        return [coefficient], []  # powers of normals, which are real
    else:
        parts = float(np.real(coefficient)), float(np.imag(coefficient))
    real_part, imaginary_part = ([part] if callable(part) or part != 0.0 else [] for part in parts)
    return real_part, imaginary_part


def _field_parts(field: Field) -> tuple[Field, Field]:
    """The real and the imaginary part of a field."""
    arguments, normals = field.arguments, normal_symbols(field.arguments)
    if field.constant is not None:
        number = complex(field.constant)
        return make_field(number.real, arguments), make_field(number.imag, arguments)
    parts = complex_parts(field.source) if field.is_formula and isinstance(field.source, sp.Expr) else None
    if parts is not None and not field.needs_normals:
        return make_field(parts[0], arguments), make_field(parts[1], arguments)
    real, imaginary = (make_field(_part(field, name), arguments, normals=normals) for name in ("real", "imag"))
    return real, imaginary


def _part(field: Field, name: str) -> object:
    """A part of a field as a function of points, or of points and normals."""

    def at_points(points: FloatArray) -> NumberArray:
        return np.asarray(getattr(field(points), name))

    def at_sites(points: FloatArray, normals: FloatArray) -> NumberArray:
        return np.asarray(getattr(field(points, normals), name))

    function = at_sites if field.needs_normals else at_points
    function.__name__ = f"{name} part of {describe(field.source)}"
    return function
