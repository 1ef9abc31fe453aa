"""What relations are read against, and what is read: operators with values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations.by_region import ByRegion
from fspielm.equations.givens import Givens
from fspielm.equations.normal import OF_NORMALS, NormalDerivative, normal_symbols, write_out
from fspielm.equations.operator import Operator
from fspielm.equations.unknowns import Unknown, only
from fspielm.errors import ProblemError
from fspielm.expressions import Field, Value, describe, make_field
from fspielm.geometry import BoundaryPart, Domain

if TYPE_CHECKING:
    from fspielm.equations.regions import Region


@dataclass(frozen=True, eq=False)
class Rule:
    """``operator(unknowns) = value``: what an equation says, or a condition, wherever it holds.

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
    """The unknowns, what is given, and the domain with the parts of its boundary.

    Attributes
    ----------
    unknowns : tuple of Unknown
    givens : Givens
    domain : Domain
    parts : tuple of BoundaryPart
    covered : tuple of Region
        The parts, or pieces of them, that have a condition which says where it holds: the others are the rest.
    levels : set of Expr
        What is zero on the borders of Piecewise expressions that are interfaces.
    """

    unknowns: tuple[Unknown, ...]
    givens: Givens
    domain: Domain
    parts: tuple[BoundaryPart, ...] = ()
    covered: tuple[Region, ...] = ()
    levels: frozenset[sp.Expr] = frozenset()

    @property
    def unknown(self) -> AppliedUndef:
        """The unknown, where there is one."""
        return only(self.unknowns, "this", "say which one is meant").symbol

    @property
    def symbols(self) -> tuple[AppliedUndef, ...]:
        """The unknowns, as they are written."""
        return tuple(unknown.symbol for unknown in self.unknowns)

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The arguments of the unknowns."""
        return self.unknowns[0].coordinates

    @property
    def dimension(self) -> int:
        """Number of coordinates, time included."""
        return self.domain.dimension

    @property
    def space(self) -> range:
        """The axes that are not time."""
        return range(self.dimension - (self.domain.time is not None))

    def field(self, value: Value | ByRegion, what: str, *, normals: bool = False) -> Field:
        """A datum as a field, with what is given put in and the unknowns refused.

        It may depend on the normal where there are `normals`: on a boundary.
        """
        symbols = normal_symbols(self.coordinates) if normals else ()
        if isinstance(value, ByRegion):
            value = value.substituted(self.givens.substitute).placed(self.domain, self.coordinates, what)
        if not isinstance(value, sp.Expr):
            return make_field(value, self.coordinates, what=what, normals=symbols)
        for unknown in self.unknowns:
            if value.has(unknown.symbol.func):
                raise ProblemError(
                    f"{what} is {describe(value)}, which contains the unknown {unknown.symbol}; a condition prescribes "
                    "a known value: write an equation with the unknown as an fs.Condition"
                )
        if not normals and value.has(*OF_NORMALS):
            which = "normal_derivative" if value.has(NormalDerivative) else "normal"
            raise ProblemError(
                f"{what} is {describe(value)}, but a {which} has a meaning on a boundary alone; write "
                "derivatives along the coordinates"
            )
        known = self.givens.substitute(value)
        written = write_out(known, self.coordinates, self.space) if normals else known
        functions = self.givens.callables(written, self.coordinates)
        field = make_field(written, self.coordinates, functions, what=what, normals=symbols)
        return replace(field, source=known)  # for messages: as it was written
