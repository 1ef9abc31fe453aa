"""Modes around one shift, on one set of functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from fspielm.accuracy import CellErrors
from fspielm.arrays import FloatArray
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.modes.checked import Checked, Inspector
from fspielm.solvers.modes.inverse import Inverse
from fspielm.solvers.modes.krylov import Found
from fspielm.solvers.record import Record
from fspielm.solvers.trial import Trial

# Relative error of a function of which no digit is certain.
_NONE = 0.5


@final
@dataclass(frozen=True, eq=False)
class Round:
    """Modes on one set of functions.

    Attributes
    ----------
    trial : Trial
    inverse : Inverse
    found : Found
        The wanted ones and some beyond them, the closest to the shift first.
    wanted : integer array
        Which ones are.
    inspector : Inspector
    combined : Checked or None
        A sum of the wanted ones, with as much of each as its value needs digits; None where none are wanted.
    cells : CellErrors or None
        What each cell has of its error.
    seconds : dict of str to float
    forecast : float
        How many of them were thought to go into the factorisation.
    """

    trial: Trial
    inverse: Inverse
    found: Found
    wanted: NDArray[np.intp]
    inspector: Inspector
    combined: Checked | None
    cells: CellErrors | None
    seconds: dict[str, float]
    forecast: float

    @property
    def values(self) -> NDArray[np.complex128]:
        """Of the wanted ones."""
        return np.asarray(self.inverse.shift + self.found.mu[self.wanted])

    @property
    def error(self) -> float:
        """Of all values together, relative."""
        return 0.0 if self.combined is None else self.combined.error

    @property
    def sizes(self) -> FloatArray:
        """What errors of the values are relative to."""
        return np.maximum(np.abs(self.values), self.inverse.unit)

    @property
    def searching(self) -> float:
        """How many seconds it took to find them."""
        return self.seconds["solve"] + self.seconds["modes"]

    @property
    def taken(self) -> float:
        """How many seconds the round took."""
        return self.searching + self.seconds["estimate"]

    @property
    def closing(self) -> float:
        """About how many seconds it takes to check each of the wanted ones, and to search a second time."""
        return self.searching + len(self.wanted) * self.seconds["estimate"]

    def singles(self, record: Record) -> list[Checked]:
        """Each of the wanted ones by itself; of those there is no time for, nothing is certain."""
        found: list[Checked] = []
        for place in self.wanted:
            shares = np.zeros(len(self.found.mu))
            shares[place] = 1.0
            if found and record.seconds_left <= 0:
                estimate = replace(found[0].estimate, relative=np.inf)
                found.append(Checked(np.asarray(self.found.coefficients @ shares), estimate, np.inf))
            else:
                found.append(self.inspector.check(self.found, shares))
        return found

    def errors(self, checks: list[Checked]) -> FloatArray:
        """Of the values, absolute.

        With T the inverse and u a mode of norm one, ``|T u - u / mu| <= e / |mu|`` where e is the error of the mode as
        a solution of the problem at the shift with its own right-hand side. If T is symmetric, one of its eigenvalues
        is no farther from 1 / mu; its asymmetry, all of which may be due to errors of T, is added. So is rounding: of
        an eigenvalue of the matrix of T, its size times the norm of T; of the sum of shift and distance, their sizes.
        """
        found = self.found.select(self.wanted)
        mu, inverse = np.abs(found.mu), self.inverse
        eps, closest = float(np.finfo(float).eps), float(np.abs(self.found.mu).min())
        each = np.array([checked.error for checked in checks]) + eps * len(self.found.mu) * mu / closest
        if inverse.symmetric:
            each = each + 0.5 * inverse.asymmetry * mu / closest
        each = found.conditions * np.where(np.isfinite(each), each, 1.0)
        errors = mu * each / (1 - np.minimum(each, _NONE)) + eps * (mu + abs(inverse.shift))
        return np.asarray(np.where(each < _NONE, errors, np.inf))


def attempt_of(latest: Round, checked: Checked, error: float) -> Attempt:
    """A sum of modes as what stages and solutions know, with an error of it that is known otherwise."""
    factored = latest.inverse.factored
    return Attempt(
        trial=latest.trial,
        discretisation=latest.inverse.finite,
        coefficients=checked.coefficients,
        residuals=checked.estimate.residuals,
        rank=factored.rank,
        condition=factored.condition,
        seconds=latest.seconds,
        estimate=replace(checked.estimate, relative=error),
        cells=latest.cells,
    )
