"""What a problem file states, before it is known whether that can be solved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from fspielm.equations import Condition, Problem
from fspielm.errors import ProblemError
from fspielm.files.names import Names
from fspielm.files.problem_file import ProblemFile
from fspielm.geometry import Domain


@dataclass(frozen=True, eq=False)
class Statement:
    """The parts of a problem, each understood; whether they fit together is for `problem_file` to say.

    Attributes
    ----------
    source : str
        The file's name; empty for a text without a file.
    names : Names
        The unknown with its coordinates, and the parameters.
    equation : Eq or Expr
    domain : Domain
    conditions : tuple of Condition
    settings : dict
        The other fields of the `ProblemFile`.
    """

    source: str
    names: Names
    equation: sp.Basic
    domain: Domain
    conditions: tuple[Condition, ...]
    settings: dict[str, Any]

    def problem_file(self) -> ProblemFile:
        """The problem and its settings.

        Raises
        ------
        ProblemError
            If the parts do not make a problem that can be solved.
        """
        written = [self.equation, *(part for condition in self.conditions for part in vars(condition).values())]
        try:
            problem = Problem(self.equation, self.domain, self.conditions, self.names.given(written))
        except ProblemError as error:
            raise ProblemError(f"{self.source}: {error}" if self.source else str(error)) from None
        return ProblemFile(problem, **self.settings)
