"""Gratings: objects at equal distances along the first axis, in a plane wave."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.equations.incident import Incident, PlaneWaves
from fspielm.equations.open_domain import incident_of, outer_wavenumbers
from fspielm.errors import ProblemError
from fspielm.geometry.exterior import Exterior

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem

# An order that goes along the grating so nearly has no digits: of the wavenumber, what it has across.
_GRAZING = 3e-3


@final
@dataclass(frozen=True)
class Lattice:
    """Fields that are, one period further on, the same times a number of size one.

    Attributes
    ----------
    wavenumber : float
        k, of the waves.
    period : float
    along : float
        The wavenumber along the first axis of what comes in, times which a period is the phase from copy to copy.
    middle : float
        Of a period, its first coordinate.
    """

    wavenumber: float
    period: float
    along: float
    middle: float

    def phases(self, copies: FloatArray) -> ComplexArray:
        """What fields so many periods further on are multiplied with."""
        return np.asarray(np.exp(1j * self.along * self.period * copies))

    def copies(self, points: FloatArray) -> FloatArray:
        """By how many periods each of some points ``(n, 2)`` is off the one around the middle."""
        return np.asarray(np.round((points[:, 0] - self.middle) / self.period))

    def orders(self, beyond: float = 0.0) -> tuple[NDArray[np.int_], FloatArray, ComplexArray]:
        """The numbers of all orders that go away, and of those that fall off at rates up to `beyond`.

        Returns
        -------
        numbers : (J,) array of int
        along, across : (J,) arrays
            Their wavenumbers along the grating, and away from it.
        """
        spacing = 2 * math.pi / self.period
        reach = math.hypot(self.wavenumber, beyond)
        numbers = np.arange(math.ceil((-reach - self.along) / spacing), math.floor((reach - self.along) / spacing) + 1)
        along: FloatArray = np.asarray(self.along + spacing * numbers, dtype=np.float64)
        return numbers, along, np.asarray(np.sqrt(self.wavenumber**2 - along**2 + 0j))


def lattice_of(problem: Problem) -> Lattice | None:
    """That of a problem whose objects are a grating; None of others."""
    domain = problem.domain
    if not isinstance(domain, Exterior) or domain.period is None:
        return None
    return make_lattice(incident_of(problem), outer_wavenumbers(problem), domain)


def make_lattice(incident: Sequence[Incident], waves: Sequence[complex], domain: Exterior) -> Lattice:
    """The lattice of a grating in what comes in.

    Raises
    ------
    ProblemError
        If that is no plane wave, or an order of it goes along the grating.
    """
    if len(waves) > 1:
        raise ProblemError("a grating, fs.Exterior(..., period=...), is known for one unknown")
    comes_in, wavenumber = incident[0] if incident else None, waves[0]
    if not isinstance(comes_in, PlaneWaves) or len(comes_in.directions) > 1:
        raise ProblemError("a grating, fs.Exterior(..., period=...), needs incident=fs.plane_wave(k, direction)")
    if wavenumber == 0 or wavenumber.imag:
        raise ProblemError("a grating, fs.Exterior(..., period=...), is known for waves of a real wavenumber k")
    assert domain.period is not None
    k = wavenumber.real
    lattice = Lattice(k, domain.period, k * comes_in.directions[0][0], domain.middle)
    numbers, _, across = lattice.orders(beyond=k)
    worst = int(np.argmin(np.abs(across)))
    if abs(across[worst]) < _GRAZING * k:
        which = "what comes in" if numbers[worst] == 0 else f"the order {numbers[worst]}"
        raise ProblemError(
            f"incident: {which} goes along the grating, a Wood anomaly: there no sum over its copies has a value; "
            "change the wavenumber, the direction or the period a little"
        )
    return lattice
