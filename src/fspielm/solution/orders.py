"""Where a grating sends a plane wave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from fspielm.arrays import ComplexArray, FloatArray
from fspielm.equations.incident import PlaneWaves
from fspielm.equations.lattice import lattice_of
from fspielm.equations.open_domain import incident_of
from fspielm.errors import ProblemError
from fspielm.features.outward.folded import FoldedBasis
from fspielm.features.outward.grating import GratingBasis
from fspielm.features.outward.regional import RegionalBasis
from fspielm.solution.open_space import scattered

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


@final
@dataclass(frozen=True, eq=False)
class Orders:
    """The plane waves that leave a grating on the side that one comes from, and on the other.

    Attributes
    ----------
    numbers : (J,) array of int
        Of the orders: j has the wavenumber ``k cos(angle of incidence) + 2 pi j / period`` along the grating.
    along, across : (J,) arrays
        Their wavenumbers along the grating, and away from it.
    reflected_amplitudes, transmitted_amplitudes : (J,) arrays
        What ``exp(i (along x + across |y|))`` is multiplied with, for an incident wave of size one.
    """

    numbers: NDArray[np.int_]
    along: FloatArray
    across: FloatArray
    reflected_amplitudes: ComplexArray
    transmitted_amplitudes: ComplexArray

    @property
    def reflected(self) -> FloatArray:
        """The share of the power that goes back in each order, ``(J,)``."""
        return self._shares(self.reflected_amplitudes)

    @property
    def transmitted(self) -> FloatArray:
        """The share of the power that goes on in each order, ``(J,)``."""
        return self._shares(self.transmitted_amplitudes)

    @property
    def absorbed(self) -> float:
        """The share of the power that is missing: zero where nothing is lost."""
        return 1.0 - float(self.reflected.sum() + self.transmitted.sum())

    def _shares(self, amplitudes: ComplexArray) -> FloatArray:
        comes_in = self.across[self.numbers == 0]
        return np.asarray(np.abs(amplitudes) ** 2 * self.across / comes_in)


def orders(solution: Solution) -> Orders:
    """The plane waves that leave a grating, ``fs.Exterior(..., period=...)``."""
    lattice = lattice_of(solution.problem)
    if lattice is None:
        raise ProblemError("orders are those of a grating, fs.Exterior(..., period=...), which this domain is not")
    (incident,) = incident_of(solution.problem)
    assert isinstance(incident, PlaneWaves)  # or there would be no lattice
    alone = scattered(solution)
    basis = alone.basis.basis if isinstance(alone.basis, FoldedBasis) else alone.basis
    outside = basis.outside if isinstance(basis, RegionalBasis) else basis
    assert isinstance(outside, GratingBasis)  # of every grating
    numbers, along, across = lattice.orders()
    up, down = (outside.amplitudes(sign)[1] @ alone.coefficients[: outside.size] for sign in (1, -1))
    back, on = (up, down) if incident.directions[0][1] < 0 else (down, up)
    return Orders(numbers, along, across.real, back, on + (numbers == 0))
