"""Functions that are summed over all copies of their centers."""

from __future__ import annotations

import numpy as np
import pytest

from fspielm.basis.outgoing.grating import GratingBasis
from fspielm.basis.outgoing.radiating import RadiatingBasis
from fspielm.geometry import Sites
from fspielm.problem import derivative, identity
from fspielm.problem.scattering.open_domain import Lattice


@pytest.mark.parametrize(("k", "angle"), [(0.4, 0.3), (3.0, 0.7), (17.0, 2.0)])
def test_copies_and_orders_are_the_same_sum(k: float, angle: float) -> None:
    lattice = Lattice(k, 2.0, k * np.cos(angle), 0.1)
    alone = RadiatingBasis([[0.2, 0.1], [-0.3, -0.2]], [0, 4], k, [0.4, 0.4])
    by_orders, by_copies = (GratingBasis(alone, lattice, -0.5, top) for top in (0.5, 2.5))
    sites = Sites(np.column_stack([np.linspace(-5, 5, 30), np.linspace(1.6, 2.4, 30)]))
    for operator in (identity(2), derivative((1, 1))):
        one, other = (basis.matrix(operator, sites) for basis in (by_orders, by_copies))
        assert np.abs(one - other).max() < 1e-11 * np.abs(one).max()
