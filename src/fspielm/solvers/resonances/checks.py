"""What is refused of resonances, and why.

Where a condition ties values and slopes together, or the flux changes its sign between two media, as at a metal's,
there are waves along a surface that fall off away from it. They may be much shorter than all others.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from fspielm.arrays import ComplexArray
from fspielm.equations import Problem, Relation
from fspielm.equations.media import media_of
from fspielm.equations.two_sided import two_sided
from fspielm.errors import ProblemError
from fspielm.geometry.exterior import Exterior
from fspielm.solvers.modes.checks import check_symbol, check_zero
from fspielm.solvers.modes.pencil import with_value
from fspielm.solvers.resonances.functions import waves_of
from fspielm.solvers.resonances.made import Asked
from fspielm.solvers.resonances.rational import rational
from fspielm.solvers.resonances.rectangle import Rectangle

_EXAMPLE = "within=(1 - 0.5j, 3)"
# Sides of the smallest rectangle, of the values in it: contours around others are nothing but rounding.
_NARROWEST = 1e-8
# Values of the symbol along each side of a rectangle that are looked at.
_LOOKS = 5
# Places on a part that are looked at.
_LOOKS_ON_PART = 16
# To which rational functions go through the flux.
_THROUGH = 1e-9


def read_rectangle(count: Any, within: Any) -> Rectangle:
    """Where resonances are wanted.

    Raises
    ------
    ProblemError
    """
    where = f"resonances of an open domain are looked for in a rectangle of the complex plane: write {_EXAMPLE}"
    if within is None:
        got = "" if count is None else f"; count={count!r} alone does not say where"
        raise ProblemError(f"{where}, its lower left and its upper right corner{got}")
    if count is not None:
        raise ProblemError(f"give within, not count: all resonances of a rectangle are found, {_EXAMPLE}")
    try:
        first, second = (complex(end) for end in within)
    except (TypeError, ValueError):
        raise ProblemError(f"{where}; got within={within!r}") from None
    if not (cmath.isfinite(first) and cmath.isfinite(second)):
        raise ProblemError(f"within must be finite; got {within!r}")
    least, most = (complex(end(first.real, second.real), end(first.imag, second.imag)) for end in (min, max))
    if least.real == most.real or least.imag == most.imag:
        raise ProblemError(f"{where}; {within!r} has no area, and resonances lie below the real axis")
    if min(most.real - least.real, most.imag - least.imag) < _NARROWEST * abs(most):
        raise ProblemError(
            f"within={within!r} is smaller than resonances are known to; take one whose sides are {_NARROWEST:g} of "
            "its values, at least"
        )
    if most.imag > 0:
        raise ProblemError(
            f"within={Rectangle(least, most)} reaches above the real axis, where fields would grow in time; resonances "
            f"have negative imaginary parts, for a time factor exp(-i omega t): end at the axis, {_EXAMPLE}"
        )
    if (first, second) != (least, most):
        raise ProblemError(
            "within is the wrong way round: the lower left corner comes first, then the upper right one, write "
            f"{Rectangle(least, most)}"
        )
    if least.real <= 0:
        raise ProblemError(
            f"within={Rectangle(least, most)} must have positive real parts: at zero waves end, and resonances on the "
            "other side of it are the same mirrored, -conj(k)"
        )
    return Rectangle(least, most)


def read_open(problem: Any, symbol: Any, rectangle: Rectangle) -> Problem:
    """The problem, of which at least the objects are known, without anything that comes in.

    Raises
    ------
    ProblemError
    """
    check_symbol(problem, symbol)
    domain = problem.domain
    if isinstance(domain, Exterior) and domain.period is not None:
        raise ProblemError("resonances of gratings are not found, only those of a finite number of objects")
    if problem.statement.incident is not None:
        raise ProblemError(
            "incident: resonances are fields without anything that comes in; leave it out, or solve with it, fs.solve"
        )
    looked = with_value(problem, symbol, rectangle.largest)
    check_zero(looked)
    if len(looked.unknowns) > 1:
        raise ProblemError("resonances are those of Helmholtz' equation for one unknown; elastic ones are not found")
    if not all(equation.operator.is_constant for equation in two_sided(looked).equations):
        raise ProblemError(
            "Transparent: resonances are known for objects of one wavenumber inside; this one varies with the place"
        )
    return looked


def read_asked(problem: Problem, symbol: sp.Symbol, rectangle: Rectangle, largest: float) -> Asked:
    """What functions have to hold for all values of a rectangle, the largest of which may be beside it.

    Raises
    ------
    ProblemError
    """
    around, share = rectangle.grown(0.1), np.linspace(0, 1, _LOOKS)
    values = around.lower + around.extent.real * share[:, None] + 1j * around.extent.imag * share
    looked = [with_value(problem, symbol, complex(value)) for value in values.ravel()]
    waves = [waves_of(each) for each in looked]
    _check_wavenumbers(np.array(waves), symbol, rectangle)
    _check_fluxes(looked, symbol, rectangle)
    return Asked(problem, symbol, largest, max(map(_fastest_along, looked, waves)))


def _check_wavenumbers(waves: ComplexArray, symbol: sp.Symbol, rectangle: Rectangle) -> None:
    """Refuse rectangles on which wavenumbers are not analytic functions of the symbol."""
    if np.ptp(np.abs(waves[:, 0])) == 0:
        raise ProblemError(
            f"lam={symbol} must stand in the equation outside of the objects, as their wavenumber or its square does; "
            "it stands elsewhere alone"
        )
    for each in waves.T.reshape(-1, _LOOKS, _LOOKS):
        steps = max(np.abs(np.diff(each, axis=axis)).max() for axis in (0, 1))
        if np.abs(each).min() == 0 or steps > np.abs(each).max():
            raise ProblemError(
                f"within={rectangle}: a wavenumber, as it depends on {symbol}, is zero there, or no single one; take a "
                "smaller rectangle, or the wavenumber itself for the symbol"
            )


def _check_fluxes(looked: Sequence[Problem], symbol: sp.Symbol, rectangle: Rectangle) -> None:
    """Refuse rectangles in which there are resonances without end, as beside metals."""
    if all(medium.flux.real >= 0 for each in looked for medium in media_of(each)):
        return
    places = rectangle.grown(0.1).contour
    fluxes = np.array([[one.flux for one in media_of(with_value(looked[0], symbol, each))] for each in places.tolist()])
    for own in fluxes.T:
        place = _gathering_place(rectangle.grown(0.1), places, own)
        if place is not None:
            raise ProblemError(
                f"Transparent: for {symbol} = {place:.6g} the flux inside of an object is minus that around it, so "
                "that waves along its surface are of all lengths, and resonances without end gather there: take "
                "rectangles that end well before"
            )


def _fastest_along(problem: Problem, waves: Sequence[complex]) -> float:
    """The highest wavenumber of waves along surfaces, as if these were flat; zero if there are none.

    Parameters
    ----------
    problem : Problem
    waves : sequence of complex
        Wavenumbers outside of the objects, and inside of those that have fields.
    """
    stated = two_sided(problem)
    bound = [_bound_by(relation, waves) for relation in stated.constraints]
    for number, medium in enumerate(media_of(problem), 1):
        if medium.flux.real < 0:
            outer, inner, square = waves[medium.around], waves[number], medium.flux**2
            bound.append(math.inf if square == 1 else abs(cmath.sqrt((outer**2 - square * inner**2) / (1 - square))))
    return max(bound, default=0.0)


def _gathering_place(rectangle: Rectangle, places: ComplexArray, fluxes: ComplexArray) -> complex | None:
    """Where in a rectangle the flux of a medium, known at places on its sides, is minus that around it; or None.

    Waves along its surface are of all lengths there, and resonances without end gather.
    """
    if np.any(fluxes == -1):
        return complex(places[np.flatnonzero(fluxes == -1)[0]])
    poles = rational(places, 1 / (1 + fluxes[:, None]), _THROUGH).poles
    inside = poles[rectangle.contains(poles)]
    return complex(inside[0]) if len(inside) else None


def _bound_by(relation: Relation, waves: Sequence[complex]) -> float:
    """Of a condition on one field: it falls off from the surface as the ratio of slopes and values says."""
    terms = relation.operator.terms
    unknowns, orders = {term.unknown for term in terms}, {term.order for term in terms}
    if len(unknowns) > 1 or orders != {0, 1}:
        return 0.0
    (unknown,) = unknowns
    sites = relation.sample(_LOOKS_ON_PART, np.random.default_rng(0), "low-discrepancy")  # only looks
    value, slope = np.zeros(len(sites), dtype=np.complex128), np.zeros(len(sites), dtype=np.complex128)
    assert sites.normals is not None  # as on every boundary
    for term in terms:
        if term.order == 0:
            value += term.at(sites)
        else:
            slope += term.at(sites) * sites.normals[:, term.orders.index(1)]
    rates = -value[slope != 0] / slope[slope != 0]
    bound = rates[rates.real > 0]
    return float(np.max(np.abs(np.sqrt(waves[unknown] ** 2 + bound**2)), initial=0.0))
