"""Objects of open domains that let waves through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import sympy as sp

from fspielm.equations.conditions.base import BoundaryCondition, check_weight, check_where
from fspielm.equations.givens import Givens
from fspielm.equations.leaving import grows
from fspielm.equations.operator import Coefficient, along_normal, field_coefficient, identity
from fspielm.equations.setting import Rule, Setting
from fspielm.equations.where import Where
from fspielm.equations.written_numbers import as_written, number_in
from fspielm.errors import ProblemError
from fspielm.expressions import Value

# The field inside, by its place beside the one around it, until it is known which object it is for.
INSIDE = 1
_WAVENUMBER = "Transparent: wavenumber"


@final
@dataclass(frozen=True)
class Transparent(BoundaryCondition):
    """An object of an open domain has the same kind of waves inside, of another wavenumber.

    Values continue across its boundary, and so does the flux: the normal derivative, that inside times `flux`. Other
    objects may lie in it, with conditions of their own; then the derivative around them is that times `flux`.

    Parameters
    ----------
    wavenumber : number or Expr
        That inside, which may vary with the coordinates; complex where waves are lost, with an imaginary part that is
        positive.
    flux : number or Expr
        What the derivative inside is multiplied with, where that outside of all objects is by one: one over the square
        of the index of refraction for a magnetic field along the object, the ratio of densities outside and inside for
        sound; one by default.
    on : str, list of str, SymPy relation or callable mask, optional
        Which objects it is for, by parts of their boundaries, as for `Dirichlet`: whole objects. All by default.
    weight : float
        As for `Dirichlet`.
    """

    wavenumber: Value
    flux: Value = 1.0
    on: Where | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "transparent"
    repeats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_weight(self.weight, "Transparent")
        object.__setattr__(self, "on", check_where(self.on, "Transparent"))

    @property
    def expressions(self) -> tuple[Any, ...]:
        """The wavenumber, the factor of the flux, and the place."""
        return self.wavenumber, self.flux, self.on

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """Values inside are those outside, and so are fluxes."""
        if not setting.domain.is_unbounded:
            raise ProblemError(
                "Transparent is for objects of open domains, fs.Exterior(...); on bounded ones state materials with "
                "fs.Regions and fs.ByRegion"
            )
        if len(setting.unknowns) > 1:
            raise ProblemError("Transparent is for one unknown; in elastic bodies objects are rigid or cavities")
        self.square(setting)  # which says what is wrong with it
        value, slope = identity(setting.dimension), along_normal(setting.dimension)
        zero, factor = setting.field(0, "zero"), self.factor(setting.givens)
        return (
            Rule(value + value.times(-1.0).on(INSIDE), zero, "value"),
            Rule(slope + slope.times(-factor).on(INSIDE), zero, "flux"),
        )

    def factor(self, givens: Givens) -> complex:
        """That of the flux, as a number."""
        number = number_in(self.flux, givens, "Transparent: flux")
        if number == 0:
            raise ProblemError("Transparent: flux must not be zero, for nothing would go in: state fs.Neumann(0)")
        return number

    def square(self, setting: Setting) -> Coefficient:
        """That of the wavenumber, as what the field inside is multiplied with."""
        if callable(self.wavenumber) and not isinstance(self.wavenumber, sp.Basic):
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
        """Refuse waves that grow inside of objects, which they may only where they do so outside: in resonances."""
        square = self.square(setting)
        if not callable(square):
            self._check(not grows(self.number(setting.givens)))

    def number(self, givens: Givens) -> complex:
        """The wavenumber, where it is the same everywhere."""
        return number_in(self.wavenumber, givens, _WAVENUMBER)

    def _check(self, is_right: bool) -> None:
        if not is_right:
            raise ProblemError(
                f"{_WAVENUMBER} must not be zero, nor its imaginary part negative, for a time factor exp(-i omega t); "
                f"got {self.wavenumber}"
            )
