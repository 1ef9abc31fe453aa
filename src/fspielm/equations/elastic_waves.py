"""Waves in elastic bodies, told from a pair of equations: what is longitudinal and what is transverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from fspielm.equations.leaving import leaving_root
from fspielm.equations.operator import Operator
from fspielm.errors import ProblemError

# Of what coefficients may differ by where they should be the same.
_SAME = 1e-12


@final
@dataclass(frozen=True)
class ElasticWaves:
    """Waves of an isotropic body in the plane.

    Attributes
    ----------
    longitudinal, transverse : complex
        Their wavenumbers, with imaginary parts that are not negative.
    axes : tuple of int
        Along which axis each of the two unknowns displaces.
    """

    longitudinal: complex
    transverse: complex
    axes: tuple[int, ...]


def elastic_waves(operators: Sequence[Operator]) -> ElasticWaves:
    """The waves of ``mu lap u + (lambda + mu) grad div u + rho omega^2 u``; any other pair of equations is refused.

    Raises
    ------
    ProblemError
    """
    if len(operators) != 2 or operators[0].dimension != 2:
        raise _refused("this system has others")
    if not all(operator.is_constant for operator in operators):
        raise _refused("a coefficient varies")
    found = {own: wave for own in (0, 1) for operator in operators if (wave := _read(operator, own)) is not None}
    if len(found) != 2 or {wave.axes[0] for wave in found.values()} != {0, 1}:
        raise _refused("this system has other terms")
    one, other = found[0], found[1]
    for name in ("longitudinal", "transverse"):
        if abs(getattr(one, name) - getattr(other, name)) > _SAME * abs(getattr(one, name)):
            raise _refused("its two equations have different coefficients")
    return ElasticWaves(one.longitudinal, one.transverse, (one.axes[0], other.axes[0]))


def _read(operator: Operator, own: int) -> ElasticWaves | None:
    """What the equation of an unknown says, with the axis along which that displaces; None of another kind."""
    terms = {
        (t.unknown == own, t.orders): complex(t.coefficient) for t in operator.terms if not callable(t.coefficient)
    }
    second = [terms.pop((True, orders), 0j) for orders in ((2, 0), (0, 2))]
    mixed, zeroth = terms.pop((False, (1, 1)), 0j), terms.pop((True, (0, 0)), 0j)
    if terms or not zeroth or not mixed or not all(second):
        return None
    for axis in (0, 1):
        along, across = second[axis], second[1 - axis]
        if abs(along - across - mixed) <= _SAME * abs(along):
            return ElasticWaves(leaving_root(zeroth / along), leaving_root(zeroth / across), (axis,))
    return None


def _refused(why: str) -> ProblemError:
    return ProblemError(
        "open domains are known for one unknown, and for waves of two displacements in an isotropic elastic body, "
        f"mu lap u + (lambda + mu) grad div u + rho omega^2 u = 0; {why}"
    )
