"""How far the coefficients of cells have fallen."""

from __future__ import annotations

import numpy as np

from fspielm.cells import CellBasis, tails_of, tile
from fspielm.cells.basis import ball
from fspielm.geometry import Interval

DEGREE = 24


def slow(*fallen: np.ndarray) -> list[bool]:
    """Of cells with some coefficients each, those that seem not to be resolved."""
    frames = tile(Interval(0, 1), [len(fallen)]).frames
    basis = CellBasis(frames, np.full((len(fallen), 1), DEGREE), (1.0,), 0)
    assert len(ball((DEGREE,))) == DEGREE + 1
    return tails_of(basis, np.concatenate(fallen)).falls_slowly.tolist()


def test_what_falls_slowly_is_not_resolved() -> None:
    degrees = np.arange(DEGREE + 1)
    assert slow(np.exp(-0.5 * degrees), np.exp(-1.2 * degrees)) == [True, False]


def test_coefficients_that_have_fallen_to_rounding_fall_no_further() -> None:
    degrees = np.arange(DEGREE + 1)
    rounding = 1e-17 * np.where(degrees % 2, 1.0, 2.0)
    done = np.exp(-4.0 * degrees) + rounding
    # as small as the whole of another cell: what is left there is a matter of that cell's own size
    assert slow(done, np.exp(-1.2 * degrees), 1e-14 * np.exp(-0.1 * degrees)) == [False, False, True]
