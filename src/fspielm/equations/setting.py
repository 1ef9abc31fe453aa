"""What conditions are read against, and what they become: operators with values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.arrays import FloatArray
from fspielm.equations.givens import Givens
from fspielm.equations.normal import NormalDerivative, normal_symbols, write_out
from fspielm.equations.operator import Operator
from fspielm.errors import ProblemError
from fspielm.expressions import Field, Value, describe, make_field
from fspielm.geometry import BoundaryPart, Domain

if TYPE_CHECKING:
    from fspielm.equations.regions import Region


@dataclass(frozen=True, eq=False)
class Rule:
    """``operator(unknown) = value``.

    Attributes
    ----------
    operator : Operator
    value : Field
    label : str
        What tells several rules of one condition apart: ``"order 1"``.
    """

    operator: Operator
    value: Field
    label: str = ""


@dataclass(frozen=True, eq=False)
class Setting:
    """The equation, its unknown, what is given, and the domain with the parts of its boundary.

    Attributes
    ----------
    unknown : AppliedUndef
    operator : Operator
    givens : Givens
    domain : Domain
    parts : tuple of BoundaryPart
    covered : tuple of Region
        The parts, or pieces of them, that have a condition which says where it holds: the others are the rest.
    """

    unknown: AppliedUndef
    operator: Operator
    givens: Givens
    domain: Domain
    parts: tuple[BoundaryPart, ...]
    covered: tuple[Region, ...] = ()

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The arguments of the unknown."""
        coordinates: tuple[sp.Symbol, ...] = self.unknown.args
        return coordinates

    @property
    def dimension(self) -> int:
        """Number of coordinates, time included."""
        return self.domain.dimension

    @property
    def space(self) -> range:
        """The axes that are not time."""
        return range(self.dimension - (self.domain.time is not None))

    def field(self, value: Value, what: str, *, normals: bool = False) -> Field:
        """A datum as a field, on a boundary where there are `normals`; see `known_field`."""
        return known_field(value, what, self.unknown, self.givens, self.space if normals else None)

    def order_across(self, normals: FloatArray) -> int:
        """The order of the equation across boundaries with these normals: of its derivatives along them."""
        crossed = np.any(np.abs(normals) > 1e-12, axis=0)
        return max(sum(n for n, across in zip(t.orders, crossed, strict=True) if across) for t in self.operator.terms)


def known_field(value: Value, what: str, unknown: AppliedUndef, givens: Givens, normals: range | None = None) -> Field:
    """A datum as a field, with what is given put in and the unknown refused.

    It may depend on the normal, which points along the axes `normals`, where there is one.
    """
    if not isinstance(value, sp.Expr):
        return make_field(value, unknown.args, what=what, normals=_symbols(unknown, normals))
    if value.has(unknown.func):
        raise ProblemError(
            f"{what} is {describe(value)}, which contains the unknown {unknown}; a condition prescribes a known value"
        )
    if normals is None and value.has(NormalDerivative):
        raise ProblemError(
            f"{what} is {describe(value)}, but a normal_derivative has a meaning on a boundary alone; write "
            "derivatives along the coordinates"
        )
    known = givens.substitute(value)
    written = known if normals is None else write_out(known, unknown.args, normals)
    functions = givens.callables(written, unknown.args)
    field = make_field(written, unknown.args, functions, what=what, normals=_symbols(unknown, normals))
    return replace(field, source=known)  # for messages: as it was written


def _symbols(unknown: AppliedUndef, normals: range | None) -> tuple[sp.Symbol, ...]:
    return () if normals is None else normal_symbols(unknown.args)
