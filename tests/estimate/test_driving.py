"""Of a residual, the part that oscillates as a wave does."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.cells import Patchwork, tile
from fspielm.estimate.sensitivity import driving

x, t = sp.symbols("x t")
u = sp.Function("u")(x, t)


def test_a_wave_is_driven_by_what_has_its_frequency() -> None:
    strip = fs.Interval(0, 2 * sp.pi) * fs.Time(0, 1)
    wave = fs.Problem(sp.Eq(u.diff(t), sp.cos(5 * x)), strip, [fs.Periodic("x"), fs.Initial(0)])
    cells = Patchwork(wave, tile(strip, (2, 1)), np.full((2, 2), 20), (1.0,), 1)
    held_out = cells.hold_out(np.random.default_rng(0))
    k = np.array([0.0, 5.0, 9.0, 1000.0])
    found = driving(wave.equations[0], held_out, np.zeros(cells.basis.size), k)
    assert found is not None
    assert found[1] == pytest.approx(np.sqrt(0.5), rel=0.1)
    assert found[[0, 2]].max() < 0.15
    # what the nodes do not tell apart may be all of it
    assert found[3] == pytest.approx(np.sqrt(0.5), rel=0.1)
