"""The errors that are followed through a window."""

from __future__ import annotations

import numpy as np

import fspielm as fs
from fspielm.cells import CellBasis, tile
from fspielm.solvers.time.errors import Smooth


def test_splines_are_orthonormal_and_vanish_at_the_ends() -> None:
    frames = tile(fs.Interval(-1, 2) * fs.Time(0, 1), (3, 2)).frames
    smooth = Smooth.at_start(CellBasis(frames, np.full((6, 2), 16)))
    places, shares = smooth.nodes
    values = smooth(np.column_stack([places, np.zeros(len(places))]))
    assert values.shape[1] > 10
    assert abs(shares.sum() - 1) < 1e-14
    np.testing.assert_allclose(values.T @ (shares[:, None] * values), np.eye(values.shape[1]), atol=1e-10)
    assert np.abs(smooth(np.array([[-1.0, 0.0], [2.0, 0.0]]))).max() < 1e-10


def test_a_state_without_space_is_a_number() -> None:
    smooth = Smooth.at_start(CellBasis(tile(fs.Time(0, 1), (2,)).frames, np.full((2, 1), 8)))
    np.testing.assert_array_equal(smooth(np.zeros((1, 1))), [[1.0]])
