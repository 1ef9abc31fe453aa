"""The Halton sequence against SciPy's, whose points it must have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import qmc

from fspielm.numerics.sampling import Halton


@pytest.mark.parametrize("dimension", [1, 2, 3, 7])
def test_the_points_are_those_of_scipy(dimension: int) -> None:
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    sequence, reference = Halton(dimension, ours), qmc.Halton(dimension, scramble=True, rng=theirs)
    for n in (1, 0, 1000, 3):
        points = sequence.draw(n)
        assert points.shape == (n, dimension)
        # to the last bit where SciPy was compiled without fused operations
        assert np.allclose(points, reference.random(n), rtol=0, atol=4e-16)
    # and the generators are left alike
    assert ours.random() == theirs.random()
    assert ours.spawn(1)[0].random() == theirs.spawn(1)[0].random()


def test_points_lie_in_the_unit_cube() -> None:
    points = Halton(3, np.random.default_rng(0)).draw(5000)
    assert points.min() >= 0.0
    assert points.max() < 1.0
