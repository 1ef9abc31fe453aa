"""What a problem file states, before it is known whether that can be solved."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from fspielm.equations import AnyCondition, Problem, Region, Unknown
from fspielm.equations.givens import read_givens
from fspielm.equations.relations import regions_of
from fspielm.equations.setting import Setting
from fspielm.errors import ProblemError
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
        The unknown with its coordinates, and the parameters.
    equation : Eq or Expr
    domain : Domain
    conditions : tuple of AnyCondition
    settings : dict
        The other fields of the `ProblemFile`.
    """

    source: str
    names: Names
    equation: sp.Basic
    domain: Domain
    conditions: tuple[AnyCondition, ...]
    settings: dict[str, Any]

    def problem_file(self) -> ProblemFile:
        """The problem and its settings.

        Raises
        ------
        ProblemError
            If the parts do not make a problem that can be solved.
        """
        try:
            problem = Problem(self.equation, self.domain, self.conditions, self._given)
        except ProblemError as error:
            raise ProblemError(f"{self.source}: {error}" if self.source else str(error)) from None
        return ProblemFile(problem, **self.settings)

    def by_place(self) -> dict[str, list[AnyCondition]]:
        """The conditions that hold on each part of the boundary, or on a piece of it; at the start of time; inside.

        Parts without a condition are there, too. A condition on a part that does not exist is left out there.
        """
        unknown = self.names.unknown
        if len(unknown.args) != self.domain.dimension:
            self.problem_file()  # which says what is wrong, better than the names of parts would
        parts = self.domain.boundary([str(symbol) for symbol in unknown.args])
        setting = Setting((Unknown(unknown, self.domain),), read_givens(self._given), self.domain, parts)
        places: dict[str, list[AnyCondition]] = {part.name: [] for part in parts}
        time = self.domain.time
        start = "" if time is None else f"{unknown.args[-1]} = {time.start:g}"
        if start:
            places[start] = []
        for condition, regions in zip(
            self.conditions, regions_of(self.conditions, setting, _existing_regions), strict=True
        ):
            for name in dict.fromkeys(name for region in regions for name in _places(region, start)):
                places.setdefault(name, []).append(condition)
        return places

    @property
    def _given(self) -> dict[sp.Symbol, sp.Expr]:
        return self.names.given([self.equation, *(e for c in self.conditions for e in c.expressions)])


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
