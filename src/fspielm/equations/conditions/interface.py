"""What happens where two materials meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

from fspielm.equations.conditions.base import AnyCondition, check_weight
from fspielm.equations.per_unknown import check_datum, freeze, written
from fspielm.equations.regions import Region
from fspielm.equations.setting import Rule, Setting
from fspielm.errors import ProblemError
from fspielm.expressions import Value


@final
@dataclass(frozen=True)
class Interface(AnyCondition):
    """Jumps of the unknown and of its flux where two regions meet; without one, both continue.

    The flux is that of the divergence form as written: the component of F along the normal, which points from the first
    region to the second, where the equation's highest derivatives are div F: of ``-div(a grad u)`` it is
    ``-a du/dn``. Without a divergence form it is the normal derivative; `Problem.remarks` says so.

    Parameters
    ----------
    jump : number, Expr or callable; or a mapping from unknowns to such
        The unknown in the first region less that in the second.
    flux_jump : number, Expr or callable; or a tuple of such, one for each equation
        The same of the flux.
    between : (str, str), optional
        Names of two regions that meet; or of the sides of a Piecewise expression's border, as `Problem.interfaces` has
        them. All interfaces by default.
    weight : float
        As for `Dirichlet`.
    """

    jump: Value | Mapping[Any, Value] = 0
    flux_jump: Value | tuple[Value, ...] = 0
    between: tuple[str, str] | None = None
    weight: float = 1.0
    kind: ClassVar[str] = "interface"

    def __post_init__(self) -> None:
        object.__setattr__(self, "jump", freeze(self.jump, "Interface: jump"))
        check_weight(self.weight, "Interface")
        if isinstance(self.flux_jump, list | tuple):
            object.__setattr__(self, "flux_jump", tuple(self.flux_jump))
        for number, value in enumerate(self.flux_jumps):
            check_datum(
                value, f"Interface: flux_jump[{number}]" if len(self.flux_jumps) > 1 else "Interface: flux_jump"
            )
        if self.between is not None:
            names = tuple(self.between) if isinstance(self.between, list | tuple) else ()
            if len(names) != 2 or not all(isinstance(name, str) for name in names) or names[0] == names[1]:
                raise ProblemError(
                    f'Interface: between must name two regions, as in ("core", "shell"); got {self.between!r}'
                )
            object.__setattr__(self, "between", names)

    @property
    def flux_jumps(self) -> tuple[Any, ...]:
        """One for each equation, or one for all of them."""
        return self.flux_jump if isinstance(self.flux_jump, tuple) else (self.flux_jump,)

    @property
    def has_normals(self) -> bool:
        """Those that point from the first region to the second."""
        return True

    @property
    def expressions(self) -> tuple[Any, ...]:
        """Its values."""
        return *written(self.jump), *self.flux_jumps

    def regions(self, setting: Setting) -> list[Region]:
        """No region of the boundary; see `equations.interfaces`."""
        return []

    def rules(self, setting: Setting, across: tuple[int, ...]) -> tuple[Rule, ...]:
        """None beside those of the interfaces themselves."""
        return ()

    def with_value(self, value: Any, setting: Setting) -> AnyCondition:
        """Refused: what it says is part of the equations."""
        raise ProblemError("the jumps of an Interface cannot be replaced in a prepared problem; state it anew")
