"""How much more some materials conduct than others, and what their rows are multiplied with for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.collocation.cells.places import chebyshev
from fspielm.equations import Operator, Problem
from fspielm.geometry.cells import Contact, Cover

# Sites of an interface that are looked at.
_LOOKS = 16
# Rows of one material are never larger than those of another by more: rounding would be as well.
_MOST = 1e4


@final
@dataclass(frozen=True, eq=False)
class Contrasts:
    """By how much rows of fluxes, and of equations that balance them, count more in each material.

    A flux into a material that conducts well hardly changes what is inside: in rows that are all of one size, a balance
    that is missed by as much as there is flows in would cost next to nothing, and the level inside would stay open.
    Fluxes count alike on both sides of an interface, as much as in the material that conducts least.

    Attributes
    ----------
    weights : (m, u) array
        One at least, for each material and unknown.
    highest : tuple of int
        The highest order with which each unknown occurs in the equations.
    """

    weights: FloatArray
    highest: tuple[int, ...]

    def of_flux(self, material: int, operator: Operator) -> float:
        """That of a row with a flux, or with none."""
        return self._largest(material, {term.unknown for term in operator.terms if term.order > 0})

    def of_equation(self, material: int, operator: Operator) -> float:
        """That of an equation: of the unknowns whose fluxes it balances."""
        balanced = {term.unknown for term in operator.terms if 0 < term.order == self.highest[term.unknown]}
        return self._largest(material, balanced)

    def _largest(self, material: int, unknowns: set[int]) -> float:
        return max((float(self.weights[material, unknown]) for unknown in unknowns), default=1.0)


def contrasts_of(problem: Problem, tiling: Cover) -> Contrasts:
    """Those of a problem; what moves in time is held to its past and to balances alike, whatever conducts it."""
    count = len(problem.unknowns)
    highest = [0] * count
    for equation in problem.equations:
        for term in equation.operator.terms:
            highest[term.unknown] = max(highest[term.unknown], term.order)
    conducts = np.zeros((int(tiling.materials.max(initial=0)) + 1, count))
    if problem.domain.time is None:
        for contact in _one_each(tiling):
            line = problem.interfaces[contact.line]
            places = 0.5 * ((1 - chebyshev(_LOOKS)) * contact.start + (1 + chebyshev(_LOOKS)) * contact.end)
            sites = line.part.place(places[:, None] if line.part.parameters else np.empty((1, 0)))
            for rule in line.rules:
                for cell, operator in zip(contact.cells, (rule.first, rule.second), strict=True):
                    own = conducts[tiling.materials[cell]]
                    for term in operator.terms:
                        if term.order > 0:
                            size = float(np.max(np.abs(term.at(sites)), initial=0.0))
                            own[term.unknown] = max(own[term.unknown], size)
    known = np.where(conducts > 0, conducts, np.inf)
    weights = np.where(conducts > 0, conducts / np.min(known, axis=0), 1.0)
    return Contrasts(np.minimum(weights, _MOST), tuple(highest))


def _one_each(tiling: Cover) -> Sequence[Contact]:
    """One piece of each interface between any two materials."""
    found: dict[tuple[int, int, int], Contact] = {}
    for contact in tiling.contacts:
        first, second = (int(tiling.materials[cell]) for cell in contact.cells)
        found.setdefault((contact.line, first, second), contact)
    return list(found.values())
