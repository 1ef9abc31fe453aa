"""A problem of the family "modes" as it is written, and its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from random_families.asked_modes import LAM
from random_families.draw import Draw
from random_families.line_modes import Known


@dataclass(frozen=True, eq=False)
class Spectrum:
    """What is told to `fs.Problem`, and what only the maker knows.

    Attributes
    ----------
    name : str
    equation : Eq
        With `LAM` open.
    domain : Domain
    conditions : tuple of conditions
    known : Known
        More values than are to be asked for.
    wanted : int
        How many may be asked for.
    least : float
        The smallest tolerance worth asking for.
    sign : int
        -1 where values are the negative of those known.
    real : bool
        Whether there are bounds, so that intervals make sense.
    """

    name: str
    equation: sp.Eq
    domain: Domain
    conditions: tuple[Any, ...]
    known: Known
    wanted: int
    least: float = 1e-11
    sign: int = 1
    real: bool = True

    def problem(self) -> fs.Problem:
        """The problem; refused by a version that does not know what is in it."""
        return fs.Problem(self.equation, self.domain, list(self.conditions), given={LAM: ...})

    @property
    def unit(self) -> float:
        """About how far the first values are from each other, or from zero."""
        values = self.known.values
        return float(max(np.ptp(values) / len(values), abs(values[0])))


@dataclass(frozen=True)
class End:
    """A condition at an end or on a side: ``"dirichlet"``, ``"neumann"``, or ``"robin"`` with du/dn + b u = 0."""

    kind: str
    b: float = 0.0

    def of(self, flux: float = 1.0) -> float | None:
        """For `Line`, where the slope is multiplied with `flux`."""
        return None if self.kind == "dirichlet" else flux * self.b

    def on(self, name: str | None) -> Any:
        """The condition there."""
        return {
            "dirichlet": lambda: fs.Dirichlet(0, on=name),
            "neumann": lambda: fs.Neumann(0, on=name),
            "robin": lambda: fs.Robin(self.b, 1, 0, on=name),
        }[self.kind]()


def draw_end(draw: Draw, length: float) -> End:
    """Of any kind; mixtures lose."""
    kind = draw.one_of(("dirichlet", "dirichlet", "neumann", "robin"))
    return End(kind, draw.log_between(0.2, 20) / length if kind == "robin" else 0.0)


def told_ends(*ends: End) -> str:
    """In words."""
    return " and ".join(dict.fromkeys(end.kind for end in ends))
