"""Transmission problems: open domains with an unknown for each medium, and the fields inside by themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial, reduce
from operator import sub
from typing import TypeAlias

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError
from fspielm.expr.functions import make_field
from fspielm.geometry.exterior import Exterior
from fspielm.numerics.tolerances import ROUNDED
from fspielm.problem.compiled import Compiled
from fspielm.problem.operator import Operator, Term, along_normal, cache_by_object, identity
from fspielm.problem.parameters import used_in
from fspielm.problem.places import PART_PROBES, whole_domain
from fspielm.problem.problem import Problem, problem_of
from fspielm.problem.scattering.media import Medium, media_of
from fspielm.problem.scattering.open_domain import wavenumber_of
from fspielm.problem.setting import Unknown
from fspielm.problem.statement import Relation, Robin
from fspielm.problem.substitutions import read_givens


@cache_by_object
def transmission_problem(problem: Problem) -> Problem:
    """The transmission problem, whose further unknowns are the fields inside of objects; unchanged without such."""
    media = media_of(problem)
    if not media or len(problem.unknowns) > 1:
        return problem

    domain, outside = problem.domain, problem.unknowns[0]
    assert isinstance(domain, Exterior)  # the only domains with media
    unknowns, equations = [outside], []
    for number, medium in enumerate(media, 1):
        which = _medium_name(domain, medium.place)
        holes = [domain.shapes[i] for i, outer in enumerate(domain.around) if outer == medium.place]
        region = reduce(sub, holes, medium.shape)
        name = f"{outside.symbol.func.__name__} {which}"
        unknowns.append(Unknown(sp.Function(name)(*outside.coordinates), region))
        operator = interior_operator(problem, medium).on(number)
        zero = make_field(0, outside.coordinates)
        equations.append(Relation(f"equation {which}", operator, zero, whole_domain(region)))
    first, *rest = problem.relations
    statement = replace(problem.statement, origin=partial(transmission_problem, problem))
    return problem_of(Compiled(statement, tuple(unknowns), (first, *equations, *rest), problem.givens))


def interior_operator(problem: Problem, medium: Medium) -> Operator:
    """The Helmholtz operator in a medium: the Laplacian plus the square of the wavenumber there."""
    d = problem.dimension
    laplacian = [Term(1.0, tuple(2 * (axis == other) for other in range(d))) for axis in range(d)]
    return Operator(d, (*laplacian, Term(medium.condition.square(problem.setting), (0,) * d)))


def _medium_name(domain: Exterior, place: int) -> str:
    """The place of the field in an object, in words, with a number if several objects have the same name."""
    name, names = domain.shapes[place].name, [shape.name for shape in domain.shapes]
    if name:
        return f"in {name}" if names.count(name) == 1 else f"in {name} ({place + 1})"
    return "inside" if len(names) == 1 else f"inside object {place + 1}"


def one_unknown_problem(problem: Problem) -> Problem:
    """The problem of one unknown from which a transmission problem was made, on both sides of the boundaries."""
    assert problem.statement.origin is not None  # `transmission_problem`
    stated: Problem = problem.statement.origin.args[0]
    domain = stated.domain
    assert isinstance(domain, Exterior)
    filled = domain.filled(medium.place for medium in media_of(stated))
    statement = replace(stated.statement, domain=filled, origin=partial(one_unknown_problem, problem))
    return problem_of(Compiled(statement, stated.unknowns, stated.relations, stated.givens))


Data: TypeAlias = Callable[[FloatArray, FloatArray], NumberArray]


def varying_media(problem: Problem) -> tuple[int, ...]:
    """The indices of the unknowns of a transmission problem whose wavenumbers vary."""
    return tuple(n for n, equation in enumerate(problem.equations) if n > 0 and not equation.operator.is_constant)


def largest_interior_wavenumber(problem: Problem) -> float:
    """The largest wavenumber inside of the objects of a transmission problem; refused if waves grow there."""
    return max(map(_largest_wavenumber, problem.equations[1:]))


def _largest_wavenumber(equation: Relation) -> float:
    sites = equation.sample(PART_PROBES, np.random.default_rng(0), "low-discrepancy")  # samples only
    (square,) = (term.at(sites) for term in equation.operator.terms if term.order == 0)
    growing = np.flatnonzero(np.imag(square) < -ROUNDED * np.abs(square).max())
    if len(growing):
        place = ", ".join(f"{value:.4g}" for value in sites.points[growing[0]])
        raise ProblemError(
            f"Transparent: the square of the wavenumber must not have a negative imaginary part, for a time factor "
            f"exp(-i omega t); at ({place}) it is {square[growing[0]]:.4g}"
        )
    return float(np.sqrt(np.abs(square).max()))


def interior_impedance(problem: Problem, number: int) -> complex:
    """The number i eta of the condition ``flux dv/dn - i eta v`` on the field v inside, which avoids resonances."""
    medium = media_of(problem)[number - 1]
    lower, upper = medium.shape.bounding_box
    around = wavenumber_of(problem.equations[medium.around].operator)
    size = max(abs(around), 1.0 / float(np.max(upper - lower)))
    return 1j * size * (-1.0 if medium.flux.real < 0 else 1.0)


def impedance_operator(problem: Problem, number: int) -> Operator:
    """The operator on the field around a medium whose values are prescribed for the field inside; normals point out."""
    value, slope = identity(problem.dimension), along_normal(problem.dimension)
    return slope + value.times(-interior_impedance(problem, number))


def interior_problem(problem: Problem, number: int, data: Data) -> Problem:
    """The problem of the field in one medium, where `data` has the values of `impedance_operator` on its boundary."""
    medium, inner = media_of(problem)[number - 1], problem.unknowns[number]
    given = problem.statement.given or {}
    square = sp.sympify(medium.condition.wavenumber).xreplace(read_givens(given).symbols) ** 2
    laplacian = sum(inner.symbol.diff(coordinate, 2) for coordinate in inner.coordinates)
    known = Robin(-interior_impedance(problem, number), medium.flux, data)
    return Problem(sp.Eq(laplacian + square * inner.symbol, 0), inner.domain, [known], given=used_in(given, [square]))
