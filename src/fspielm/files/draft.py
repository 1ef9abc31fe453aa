"""What a problem file states, before it is known whether that can be solved."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from fspielm.equations import AnyCondition, Problem, Region, Statement, Unknown
from fspielm.equations.givens import read_givens
from fspielm.equations.incident import Incident
from fspielm.equations.relations import regions_of
from fspielm.equations.setting import Setting
from fspielm.equations.typeset import problem_align
from fspielm.errors import ProblemError
from fspielm.files.incident import expressions_in
from fspielm.files.names import Names
from fspielm.files.problem_file import ProblemFile
from fspielm.geometry import Domain


@dataclass(frozen=True, eq=False)
class ProblemDraft:
    """The parts of a problem, each understood; whether they fit together is for `problem_file` to say.

    Attributes
    ----------
    source : str
        The file's name; empty for a text without a file.
    names : Names
        The unknowns with their coordinates, and the parameters.
    equations : tuple of Eq or Expr
    domain : Domain
    conditions : tuple of AnyCondition
    incident : Incident or None
    settings : dict
        The other fields of the `ProblemFile`.
    """

    source: str
    names: Names
    equations: tuple[sp.Basic, ...]
    domain: Domain
    conditions: tuple[AnyCondition, ...]
    incident: Incident | None
    settings: dict[str, Any]

    def problem_file(self) -> ProblemFile:
        """The problem and its settings.

        Raises
        ------
        ProblemError
            If the parts do not make a problem that can be solved.
        """
        try:
            problem = Problem(self._stated, self.domain, self.conditions, self._given, self._order, self.incident)
        except ProblemError as error:
            raise ProblemError(f"{self.source}: {error}" if self.source else str(error)) from None
        return ProblemFile(problem, **self.settings)

    def by_place(self) -> dict[str, list[AnyCondition]]:
        """The conditions that hold on each part of the boundary, or on a piece of it; at the start of time; inside.

        Parts without a condition are there, too. A condition on a part that does not exist is left out there.
        """
        self._check_dimension()
        parts = self.domain.boundary([str(symbol) for symbol in self.coordinates])
        setting = Setting(self.unknowns, read_givens(self._given), self.domain, parts)
        places: dict[str, list[AnyCondition]] = {part.name: [] for part in parts}
        time = self.domain.time
        start = "" if time is None else f"{self.coordinates[-1]} = {time.start:g}"
        if start:
            places[start] = []
        for condition, regions in zip(
            self.conditions, regions_of(self.conditions, setting, _existing_regions), strict=True
        ):
            for name in dict.fromkeys(name for region in regions for name in _places(region, start)):
                places.setdefault(name, []).append(condition)
        return places

    def latex(self) -> str:
        """The problem for a paper, as amsmath has it."""
        self._check_dimension()
        return problem_align(self, self.names.parameters)

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """What is solved for."""
        return tuple(Unknown(symbol, self.domain) for symbol in self.names.unknowns)

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """The arguments of the unknowns."""
        return self.names.coordinates

    @property
    def statement(self) -> Statement:
        """What a problem would be made from."""
        stated = Statement(self.equations, self.domain, self.conditions, self._given, self._order)
        return replace(stated, incident=self.incident)

    def _check_dimension(self) -> None:
        if len(self.coordinates) != self.domain.dimension:
            self.problem_file()  # which says what is wrong, better than the names of parts would

    @property
    def _given(self) -> dict[sp.Expr, Any]:
        written = [*self.equations, *(e for c in self.conditions for e in c.expressions)]
        return self.names.given([*written, *expressions_in(self.incident)])

    @property
    def _stated(self) -> sp.Basic | tuple[sp.Basic, ...]:
        """The equations, or the only one."""
        return self.equations[0] if len(self.equations) == 1 else self.equations

    @property
    def _order(self) -> tuple[AppliedUndef, ...] | None:
        """The unknowns of a system, in the order of the file."""
        return self.names.unknowns if len(self.names.unknowns) > 1 else None


def _places(region: Region, start: str) -> list[str]:
    return [part.name for part in region.parts] or [start if region.kind == "start" else "inside"]


def _existing_regions(condition: AnyCondition, setting: Setting) -> list[Region]:
    """Where a condition holds, as far as the parts that it names are there."""
    on = getattr(condition, "on", None)
    each = [replace(condition, on=name) for name in on] if isinstance(on, tuple) else [condition]  # type: ignore[type-var]
    regions = []
    for one in each:
        with suppress(ProblemError):
            regions += one.regions(setting)
    return regions
