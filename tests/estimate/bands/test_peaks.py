"""Where the spectrum of a right-hand side lives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.estimate import Peak, find_peaks
from fspielm.estimate.peaks import inscribed_boxes
from fspielm.expr import make_field
from fspielm.geometry import Domain

x, y, z, t = sp.symbols("x y z t")
SQUARE = fs.Box((0, 0), (1, 1))


def peaks_of(expression: Any, domain: Domain, highest: tuple[float, ...], arguments: Any = None) -> list[Peak] | None:
    arguments = arguments or (x, y, z)[: domain.dimension]
    found = find_peaks(make_field(expression, arguments), domain, np.array(highest), np.random.default_rng(0))
    return None if found is None else sorted(found, key=lambda peak: tuple(peak.center))


@pytest.mark.parametrize("domain", [SQUARE, fs.Disk((3, 0), 1), fs.LShape(), fs.Panda(1.0)])
def test_waves_are_found_to_rounding(domain: Domain) -> None:
    found = peaks_of(sp.sin(60.3 * x) * sp.cos(45.7 * y), domain, (61, 46))
    assert found is not None
    assert all(peak.exact and not peak.widths.any() for peak in found)
    np.testing.assert_allclose([peak.center for peak in found], [(60.3, -45.7), (60.3, 45.7)], rtol=1e-11)


def test_waves_in_time() -> None:
    found = peaks_of(sp.cos(50 * x - 70 * t), fs.Interval(0, 1) * fs.Time(0, 2), (50, 70), (x, t))
    assert found is not None
    assert [peak.exact for peak in found] == [True]
    np.testing.assert_allclose(found[0].center, (50, -70), rtol=1e-11)


def test_waves_in_space() -> None:
    found = peaks_of(sp.exp(z) * sp.sin(40 * x + 30 * y), fs.Box((0, 0, 0), (1, 1, 1)), (40, 30, 1))
    assert found is not None
    assert len(found) == 1
    np.testing.assert_allclose(found[0].center, (40, 30, 0), atol=0.3)


@pytest.mark.parametrize("amplitude", [sp.exp(x), x**2, 1 / (2 + x), 1 + sp.S("1/10") * sp.cos(4 * x)])
def test_a_slowly_varying_amplitude_leaves_a_single_frequency(amplitude: sp.Expr) -> None:
    found = peaks_of(amplitude * sp.sin(80.3 * x), fs.Interval(0, 1), (82,))
    assert found is not None
    assert len(found) == 1
    assert not found[0].exact
    assert found[0].center[0] == pytest.approx(80.3, abs=0.1)
    assert found[0].widths[0] == 0


def test_weak_peaks_count_down_to_the_threshold() -> None:
    def count(strength: float) -> int:
        found = peaks_of(sp.exp(x) * sp.sin(100 * x) + strength * sp.cos(200 * x), fs.Interval(0, 1), (205,))
        assert found is not None
        return len(found)

    assert [count(strength) for strength in (1e-2, 1e-4, 1e-7)] == [2, 2, 1]


def test_frequencies_between_are_covered() -> None:
    """A packet with a wide spectrum, and a chirp from 50 to 150: boxes that hold what they have."""
    packet = peaks_of(sp.exp(-200 * (x - 0.5) ** 2) * sp.sin(300 * x), fs.Interval(0, 1), (420,))
    assert packet is not None
    assert len(packet) == 1
    # amplitudes fall like exp(-w^2 / 800): to 1e-5 at 96
    assert packet[0].center[0] == pytest.approx(300, abs=5)
    assert 60 < packet[0].widths[0] < 130
    chirp = peaks_of(sp.sin(50 * x + 50 * x**2), fs.Interval(0, 1), (160,))
    assert chirp is not None
    lowest, highest = min(p.center - p.widths for p in chirp), max(p.center + p.widths for p in chirp)
    assert lowest < 70
    assert highest > 130


def test_a_ring_is_one_box_around_zero() -> None:
    radius = sp.sqrt((x - 0.5) ** 2 + (y - 0.5) ** 2 + sp.S("1/10000"))
    found = peaks_of(sp.cos(100 * radius), SQUARE, (100, 100))
    assert found is not None
    assert len(found) == 1
    assert not found[0].center.any()
    assert np.all((found[0].widths > 90) & (found[0].widths < 130))


def test_low_frequencies_are_one_box_around_zero() -> None:
    found = peaks_of(sp.exp(x) + sp.sin(5 * x), fs.Interval(0, 1), (6,))
    assert found is not None
    assert len(found) == 1
    assert not found[0].center.any()


def test_constants() -> None:
    assert peaks_of(0, SQUARE, (1, 1)) == []
    found = peaks_of(3, SQUARE, (1, 1))
    assert found is not None
    assert not found[0].center.any()
    assert not found[0].exact


@pytest.mark.parametrize(
    ("expression", "highest"),
    [
        (sp.sin(3 * x), (1e5, 1e5)),  # too many samples
        (sp.Piecewise((1, x > 0.4), (0, True)), (100, 1)),  # a jump
    ],
)
def test_none_where_there_are_no_peaks(expression: sp.Expr, highest: tuple[float, float]) -> None:
    assert peaks_of(expression, SQUARE, highest) is None


@pytest.mark.parametrize(
    "domain", [fs.Disk((3, 0), 1), fs.LShape(), fs.Ball((0, 0, 1), 2), fs.Disk((0, 0), 1) * fs.Time(1, 3)]
)
def test_inscribed_boxes_lie_inside(domain: Domain) -> None:
    rng = np.random.default_rng(0)
    boxes = inscribed_boxes(domain, rng)
    assert boxes
    for lower, upper in boxes:
        assert np.all(domain.contains(rng.uniform(lower, upper, (500, domain.dimension))))


def test_a_box_is_inscribed_in_itself() -> None:
    ((lower, upper),) = inscribed_boxes(fs.Box((0, 1), (2, 5)), np.random.default_rng(0))
    np.testing.assert_array_equal([lower, upper], [(0, 1), (2, 5)])
