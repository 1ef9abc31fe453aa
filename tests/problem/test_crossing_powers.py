"""Powers of the distance where sectors of materials meet."""

from __future__ import annotations

import math

import numpy as np
import pytest

from fspielm.cells.crossings import CrossingPower, crossing_powers

QUARTERS = (math.pi / 2,) * 4


@pytest.mark.parametrize("contrast", [10.0, 1000.0])
def test_quadrants(contrast: float) -> None:
    lowest = 4 / math.pi * math.atan(1 / math.sqrt(contrast))
    powers = [each.power for each in crossing_powers(QUARTERS, (1.0, 1 / contrast, 1.0, 1 / contrast))]
    np.testing.assert_allclose(powers[:3], [lowest, 2 - lowest, 2 + lowest], rtol=1e-14)


def test_one_material_has_polynomials_alone() -> None:
    assert crossing_powers((1.0, 2.0, 2 * math.pi - 3), (1.0, 1.0, 1.0)) == ()


def test_values_and_fluxes_continue() -> None:
    openings, conducts = (1.0, 2.0, 2 * math.pi - 3), (1.0, 5.0, 30.0)
    found = crossing_powers(openings, conducts)
    assert len(found) > 5
    for function in found:
        for sector in range(3):
            other = (sector + 1) % 3
            one = _at(function, sector, openings[sector] / 2)
            two = _at(function, other, -openings[other] / 2)
            assert one.real == pytest.approx(two.real, abs=1e-12)
            assert conducts[sector] * one.imag == pytest.approx(conducts[other] * two.imag, abs=1e-11)


def _at(function: CrossingPower, sector: int, angle: float) -> complex:
    """The value, and the slope along the circle over the power (with its sign turned), at an angle from the middle."""
    return complex(function.factors[sector] * np.exp(1j * function.power * angle))
