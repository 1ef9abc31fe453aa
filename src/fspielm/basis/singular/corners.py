"""The singular functions that belong to the corners of a problem's domain."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, SupportsFloat, TypeAlias, final

import numpy as np

from fspielm.basis.basis import Basis
from fspielm.basis.singular.singular import Angle, CornerFunction, Power, SingularBasis, Wave
from fspielm.errors import ProblemError
from fspielm.geometry.crossings import meets_any
from fspielm.geometry.curves import segment
from fspielm.geometry.domain import Corner
from fspielm.geometry.plane import edges_of
from fspielm.geometry.points import Sites, as_number, as_plane_point, as_positive
from fspielm.problem.changes import SAME_PLACE, change_places, domain_size, find_conflicts, sides_of, values_jump
from fspielm.problem.operator import once
from fspielm.problem.problem import Problem
from fspielm.problem.relations import has_complex_operator

# ---- Which corners get singular functions, as users choose them


Choice: TypeAlias = "bool | Singular | Sequence[Singular] | None"


@final
@dataclass(frozen=True, init=False)
class Singular:
    """Singular functions at one corner: ``fs.solve(problem, singular=fs.Singular((0, 0)))``.

    Near a corner of opening alpha a solution behaves like ``r**s sin(s theta)`` with ``s = k pi / alpha`` (and
    ``s = (k - 1/2) pi / alpha`` where a value is prescribed on one side and a slope on the other), with a logarithm
    where s is whole. These functions, or Bessel functions of order s for Helmholtz' equation, become columns beside
    the cosines.

    Parameters
    ----------
    at : (number, number)
        A corner of the domain; or, with `opening` and `start`, any point of its boundary, such as one where a
        Dirichlet condition gives way to a Neumann condition.
    opening : number, optional
        Interior angle in radians; that of the domain's corner by default.
    start : number, optional
        Direction, in radians from the x axis, of the side from which the interior is swept counterclockwise.
    exponents : sequence of numbers, optional
        The s themselves, where they are known better.
    """

    at: tuple[float, float]
    opening: float | None
    start: float | None
    exponents: tuple[float, ...] | None

    def __init__(
        self,
        at: Iterable[SupportsFloat],
        opening: SupportsFloat | None = None,
        start: SupportsFloat | None = None,
        exponents: Iterable[SupportsFloat] | None = None,
    ) -> None:
        if (opening is None) != (start is None):
            raise ProblemError("Singular: give opening and start together, or neither for a corner of the domain")
        angle = None if opening is None else as_positive(opening, "Singular: opening")
        if angle is not None and angle > 2 * math.pi:
            raise ProblemError(f"Singular: opening must be an angle in radians, at most 2 pi; got {angle}")
        powers = None if exponents is None else tuple(as_positive(s, "Singular: exponents") for s in exponents)
        if powers == ():
            raise ProblemError("Singular: exponents must name at least one; leave it out for those of the corner")
        object.__setattr__(self, "at", as_plane_point(at, "Singular: at"))
        object.__setattr__(self, "opening", angle)
        object.__setattr__(self, "start", None if start is None else as_number(start, "Singular: start"))
        object.__setattr__(self, "exponents", powers)


def check_singular(singular: Any) -> None:
    """Refuse what cannot say where singular functions go."""
    single = singular is None or isinstance(singular, bool | Singular)
    if single or (isinstance(singular, Sequence) and singular and all(isinstance(s, Singular) for s in singular)):
        return
    raise ProblemError(
        "singular must be True (all corners), False (none), or fs.Singular((x, y)) objects for single corners; "
        f"got {singular!r}"
    )


# ---- The singular functions that belong to the corners of a problem's domain, and to where its conditions change


# Exponents up to these: what is left is smooth enough for cosines. Where an equation mixes them, there are more
# functions to each, and fewer exponents do.
_DEGREE = 12.0
_MIXED_DEGREE = 5.0
# The places of the strongest kind get functions, so many at most: each has tens of columns.
_MOST_CORNERS = 12
# By how much of the domain's size the place of a function may be off.
_ROUNDING = 1e-12
# Of functions that grow, over the size of the domain, in units of the exponential's rate: others are nothing at the
# corner, where they are needed.
_MOST_GROWTH = 4.0
# What is equal but for rounding: exponents, relative to one, and coefficients, relative to each other.
_SAME, _SAME_DIGITS = 1e-9, 9
# Rays beside the bisector of the exterior, of half of its opening.
_ASIDE = (0.0, -0.25, 0.25, -0.5, 0.5, -0.75, 0.75)
# Where to look whether a ray enters the domain again, in units of the domain's size: close to the corner and along it.
_ALONG_RAY = np.concatenate([np.logspace(-6, -2, 50), np.linspace(0.01, 1, 400)])


@once
def singular_corners(problem: Problem) -> tuple[Corner, ...]:
    """Where the solution of a plane problem may be singular, the strongest kind first.

    At the corners of its domain, and on smooth stretches of the boundary where one kind of condition gives way to
    another or data jump: a corner of opening pi.
    """
    if not is_plane(problem):
        return ()
    corners = [c for c in (*_corners(problem), *change_places(problem)) if is_isotropic(problem, c.point)]
    strongest = sorted(corners, key=lambda corner: _exponents(problem, corner)[0])
    return tuple(islice((c for c in strongest if _cut_is_outside(problem, c)), _MOST_CORNERS))


def singular_changes(problem: Problem) -> tuple[Corner, ...]:
    """Those of the `singular_corners` that are no corners of the domain."""
    corners = _corners(problem)
    return tuple(place for place in singular_corners(problem) if place not in corners)


def jump_places(problem: Problem) -> list[tuple[float, float]]:
    """Those of the `singular_corners` at which prescribed values jump: no smooth function comes close there."""
    return [corner.point for corner in singular_corners(problem) if _exponents(problem, corner)[0] == 0.0]


def missed_jumps(problem: Problem, basis: Basis) -> list[tuple[float, float]]:
    """The `jump_places` at which a basis has no functions, to rounding: such as were made for another problem's.

    Beside the true place, a function that jumps fits all points but those in between, which may be none.
    """
    near = _ROUNDING * domain_size(problem)
    return [place for place in jump_places(problem) if all(math.dist(place, other) > near for other in basis.corners)]


def open_conflicts(problem: Problem) -> list[str]:
    """The corners where values disagree that no singular function holds."""
    conflicts = find_conflicts(problem)
    if not conflicts:
        return []
    held = jump_places(problem)
    near = SAME_PLACE * domain_size(problem)
    return list(dict.fromkeys(c.told for c in conflicts if all(math.dist(c.point, p) > near for p in held)))


def singular_columns(problem: Problem, singular: bool | Singular | Sequence[Singular]) -> tuple[SingularBasis, ...]:
    """The singular functions asked for: at all corners, at the ones named, or none."""
    if isinstance(singular, bool):
        return _at_all_corners(problem) if singular else ()
    if problem.domain.dimension != 2 or problem.domain.time is not None:
        raise ProblemError(
            f"singular functions belong to plane domains without time; domain={problem.domain!r} is none"
        )
    if len(problem.unknowns) > 1 or has_complex_operator(problem.equations[0]):
        raise ProblemError(
            "singular: functions of corners are known for one equation with real coefficients; leave singular=... out"
        )
    wanted = [singular] if isinstance(singular, Singular) else list(singular)
    return tuple(_columns(problem, _find(problem, one), one.exponents) for one in wanted)


def some_singular_columns(problem: Problem, share: float) -> tuple[SingularBasis, ...]:
    """At all corners, the singular functions with exponents up to a share of the highest."""
    if share >= 1.0:
        return _at_all_corners(problem)
    found = []
    for corner in singular_corners(problem):
        every = _exponents(problem, corner)
        found.append(_columns(problem, corner, [s for s in every if s <= share * every[-1]] or every[:1]))
    return tuple(found)


@once
def _at_all_corners(problem: Problem) -> tuple[SingularBasis, ...]:
    return tuple(_columns(problem, corner, None) for corner in singular_corners(problem))


def _columns(problem: Problem, corner: Corner, exponents: Sequence[float] | None) -> SingularBasis:
    scale = domain_size(problem)
    functions = _functions(problem, scale, exponents or _exponents(problem, corner))
    return SingularBasis(corner.point, corner.start + 0.5 * corner.opening, scale, functions)


def _corners(problem: Problem) -> tuple[Corner, ...]:
    return problem.domain.corners([str(symbol) for symbol in problem.coordinates])


def _find(problem: Problem, one: Singular) -> Corner:
    """The corner that is meant."""
    size = domain_size(problem)
    if one.opening is not None and one.start is not None:
        found = Corner(one.at, one.opening, one.start, ("", ""))
    else:
        corners = _corners(problem)
        near = [c for c in corners if math.dist(c.point, one.at) <= SAME_PLACE * size]
        if not near:
            known = ", ".join(f"({c.point[0]:.6g}, {c.point[1]:.6g})" for c in corners) or "none"
            raise ProblemError(
                f"Singular: at={one.at} is no corner of the domain (its corners: {known}); for another point of the "
                "boundary give opening and start"
            )
        found = near[0]
    if not is_isotropic(problem, found.point):
        raise ProblemError(
            "Singular: the highest derivatives of the equation must be a multiple of the Laplacian at the corner "
            f"{found.point}"
        )
    if not _cut_is_outside(problem, found):
        raise ProblemError(
            f"Singular: the ray from {found.point} away from the interior enters the domain again, and the singular "
            "functions would jump across it"
        )
    return found


def free_axis(problem: Problem, corner: Corner) -> float | None:
    """The direction closest to the bisector of the interior whose opposite ray avoids the domain; None without any."""
    middle, beside = corner.start + 0.5 * corner.opening, math.pi - 0.5 * corner.opening
    axes = (middle + share * beside for share in _ASIDE)
    return next((axis for axis in axes if _is_outside(problem, corner, axis + math.pi)), None)


def _cut_is_outside(problem: Problem, corner: Corner) -> bool:
    """Whether the ray across which the functions jump, opposite to the interior's bisector, avoids the domain."""
    return _is_outside(problem, corner, corner.start + 0.5 * corner.opening + math.pi)


def _is_outside(problem: Problem, corner: Corner, away: float) -> bool:
    """Whether a ray from a corner avoids the domain."""
    size = domain_size(problem)
    ray = np.array(corner.point) + (size * _ALONG_RAY)[:, None] * np.array([math.cos(away), math.sin(away)])
    if np.any(problem.domain.contains(ray)):
        return False
    # points may step over a thin wall; its edges do not
    edges = edges_of(problem.domain) or ()
    (x0, y0), (x1, y1) = ray[0], ray[-1]
    return not meets_any(segment((x0, y0), (x1, y1)), [edge.curve for edge in edges])


def _exponents(problem: Problem, corner: Corner, degree: float = _DEGREE) -> list[float]:
    """The s of ``r**s`` that conditions of like kind, or of different kinds, on the two sides allow, up to a degree.

    Between curved sides, and where a condition mixes values and slopes, every one brings those a whole number above.
    Zero stands for the angle, where values jump.
    """
    sides = [[constraint.operator for constraint in side] for side in sides_of(problem, corner)]
    kinds = [{operator.order > 0 for operator in side} for side in sides]
    shift = 0.5 if kinds[0] and kinds[1] and kinds[0].isdisjoint(kinds[1]) else 0.0
    step = math.pi / corner.opening
    count = max(int(degree / step + shift), 1)
    exponents = [(k - shift) * step for k in range(1, count + 1)]
    mixed = any(len({term.order for term in operator.terms}) > 1 for side in sides for operator in side)
    if values_jump(problem, corner):
        exponents = [0.0, *exponents]
    if corner.straight and not mixed:
        return exponents
    raised = {round(s + a, _SAME_DIGITS) for s in exponents for a in range(int(degree)) if s + a <= degree}
    return sorted(raised) or exponents


def leading_exponent(problem: Problem, corner: Corner) -> float:
    """The s of ``r**s``, the strongest of what the solution may have at a corner."""
    return _exponents(problem, corner)[0]


def corner_exponents(problem: Problem, corner: Corner, degree: float) -> list[float]:
    """The s of ``r**s`` up to a degree that the solution may have at a corner, the strongest first."""
    return _exponents(problem, corner, degree)


def _functions(problem: Problem, scale: float, exponents: Sequence[float]) -> list[CornerFunction]:
    """Functions with these exponents that the equation's solutions are made of near the corner.

    Laplace's equation has the powers themselves, Helmholtz' the Bessel functions of these orders; any other equation
    mixes in higher powers of zeta and its conjugate. A whole exponent brings a logarithm: without it, the function
    would be smooth. Zero brings the angle alone.
    """
    ratio = helmholtz_ratio(problem)
    if ratio is not None and math.sqrt(max(-ratio, 0.0)) * scale > _MOST_GROWTH:
        ratio = None
    whole = [float(round(s)) for s in exponents if abs(s - round(s)) < _SAME]
    broken = [s for s in exponents if abs(s - round(s)) >= _SAME]
    if ratio is None:
        return [*_mixed(broken, False), *_mixed(whole, True)]
    k, modified = math.sqrt(abs(ratio)) * scale, ratio < 0
    if k == 0.0:
        return [*(Power(s) for s in broken), *(Power(s, 0, True) if s else Angle() for s in whole)]
    return [
        *(Wave(s, k, modified) for s in broken),
        *(Wave(s, k, modified, True) if s else Angle(k, modified) for s in whole),
    ]


def _mixed(exponents: Iterable[float], logarithm: bool) -> list[CornerFunction]:
    """``zeta**(s + a) * conjugate(zeta)**b`` for all whole a, b >= 0 up to the degree, each once."""
    powers = {
        (round(s + a, _SAME_DIGITS), b)
        for s in exponents
        for a in range(int(_MIXED_DEGREE) + 1)
        for b in range(int(_MIXED_DEGREE) + 1)
        if s + a + b <= max(_MIXED_DEGREE, s)
    }
    return [Power(s, b, logarithm) if s or b else Angle() for s, b in sorted(powers)]


def is_plane(problem: Problem) -> bool:
    """Whether it is one of a single unknown in the plane, without time, of second order and with real coefficients."""
    if problem.domain.dimension != 2 or problem.domain.time is not None or len(problem.unknowns) > 1:
        return False
    return problem.operator.order == 2 and not has_complex_operator(problem.equations[0])


def helmholtz_ratio(problem: Problem) -> float | None:
    """K of ``laplacian u + K u``, up to a factor, with constant coefficients; None for any other equation."""
    coefficients = {term.orders: term.coefficient for term in problem.operator.terms}
    if not problem.operator.is_constant or set(coefficients) - {(2, 0), (0, 2), (0, 0)}:
        return None
    main, other, value = (coefficients.get(orders, 0.0) for orders in ((2, 0), (0, 2), (0, 0)))
    assert not callable(main)
    assert not callable(other)
    assert not callable(value)
    if main == 0.0 or abs(other - main) > _SAME * abs(main):
        return None
    ratio = value / main
    return None if isinstance(ratio, complex) else ratio


def is_isotropic(problem: Problem, point: tuple[float, float]) -> bool:
    """Whether the second derivatives make a multiple of the Laplacian at the corner."""
    here = Sites(np.array([point]))
    try:
        second = {term.orders: float(term.at(here)[0]) for term in problem.operator.terms if term.order == 2}
    except ProblemError:  # a coefficient that is not finite there
        return False
    main = second.get((2, 0), 0.0)
    small = _SAME * abs(main)
    return main != 0.0 and abs(second.get((0, 2), 0.0) - main) <= small and abs(second.get((1, 1), 0.0)) <= small
