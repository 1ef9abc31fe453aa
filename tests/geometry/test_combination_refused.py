"""What unions, intersections and differences refuse, and how; names of shapes."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

from fspielm.errors import ProblemError
from fspielm.geometry import Ball, Box, Disk, Domain, Interval, PolarCurve, Time, combine, edges_of
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda

SQUARE, CUBE = Box((0, 0), (1, 1)), Box((0, 0, 0), (1, 1, 1))
theta = sp.Symbol("theta")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SQUARE & Box((2, 0), (3, 1)), r"Box.* & Box.*empty.*boxes"),
        (lambda: SQUARE & Box((1, 0), (2, 1)), r"empty.*boxes do not overlap"),
        (lambda: SQUARE & Disk((1.5, 1.5), 0.6), r"Box.* & Disk.*empty: they"),
        (lambda: SQUARE - SQUARE, r"Box.* - Box.*empty.*covers"),
        (lambda: SQUARE - Box((-1, -1), (2, 2)), r"empty.*second covers"),
        (lambda: SQUARE - Disk((0.5, 0.5), 3), r"empty.*second covers"),
        (lambda: (SQUARE | Box((1, 0), (2, 1))) - Box((0, 0), (2, 1)), r"empty.*second covers"),
        (lambda: Interval(0, 1) & Interval(1, 2), r"empty.*boxes do not overlap"),
        (lambda: Interval(0, 1) - Interval(0, 1), r"empty.*second covers"),
        (lambda: (Interval(0, 1) | Interval(3, 4)) & Interval(1, 3), "is empty: they do not overlap"),
        (lambda: CUBE & Box((2, 0, 0), (3, 1, 1)), r"empty.*boxes do not overlap"),
        (lambda: CUBE - Box((-1,) * 3, (2,) * 3), r"empty.*second covers"),
        (lambda: (CUBE - Box((0.2,) * 3, (0.8,) * 3)) & Box((0.3,) * 3, (0.7,) * 3), "is empty: they do not overlap"),
        (lambda: Disk((0, 0), 1) - Disk((5, 0), 0.2), r"Disk.* - Disk.*outside.*nothing"),
        (lambda: Disk((0, 0), 1) - Box((0.8, 0.8), (2, 2)), "lies outside of the first"),
        (lambda: SQUARE - Box((1, 0), (2, 1)), "lies outside of the first"),
        (lambda: SQUARE - Disk((0.5, 0.5), 0.1) - Disk((0.5, 0.5), 0.1), "lies outside of the first"),
        (lambda: Interval(0, 1) - Interval(2, 3), "lies outside of the first"),
        (lambda: CUBE - Ball((9, 0, 0), 1), "lies outside of the first"),
        (lambda: CUBE - Ball((1.8, 1.8, 1.8), 1), "lies outside of the first"),
        (lambda: SQUARE | Interval(0, 1), r"a \| b.*dimension.*2 and Interval"),
        (lambda: SQUARE & CUBE, r"a & b.*same dimension"),
        (lambda: (SQUARE * Time(0, 1)) - Disk((0, 0), 1), r"a - b.*Time.*has its time"),
        (lambda: SQUARE | SQUARE * Time(0, 1), r"has its time already"),
        (lambda: combine("xor", SQUARE, SQUARE), r"operation.*'union'.*'xor'"),
    ],
)
def test_refused(make: Callable[[], Domain], message: str) -> None:
    with pytest.raises(ProblemError, match=message):
        make()


def test_a_small_hole_and_a_thin_cut_are_taken_off() -> None:
    assert (SQUARE - Disk((0.5, 0.5), 1e-9)).hole_places()
    assert len((SQUARE - Disk((1 + 1e-3, 0.5), 1.001e-3)).boundary()) == 5
    assert len((CUBE - Ball((0.5, 0.5, 0.5), 1e-6)).boundary()) == 7
    assert len((CUBE - Ball((0.5, 0.5, 1.1), 0.101)).boundary()) == 7
    apart = Disk((0, 0), 1) | Disk((5, 0), 1)
    assert (apart - Disk((5, 0), 2)).measure == pytest.approx(Disk((0, 0), 1).measure)


@pytest.mark.parametrize("operation", [operator.or_, operator.and_, operator.sub])
def test_only_domains_are_combined(operation: Callable[[object, object], object]) -> None:
    for other in (1, "box"):
        with pytest.raises(TypeError, match="unsupported operand"):
            operation(SQUARE, other)


NAMED: dict[str, tuple[Callable[..., Domain], str]] = {
    "Box": (lambda **name: Box((0, 0), (1, 1), **name), "x-"),
    "Interval": (lambda **name: Interval(0, 1, **name), "x-"),
    "Disk": (lambda **name: Disk((0, 0), 1, **name), "circle"),
    "Pacman": (lambda **name: Pacman((0, 0), 1, **name), "arc"),
    "PolarCurve": (lambda **name: PolarCurve(2 + sp.cos(theta), **name), "outline"),
    "Panda": (lambda **name: Panda(**name), "outline"),
}


@pytest.mark.parametrize("shape", list(NAMED))
def test_names_of_shapes(shape: str) -> None:
    make, part = NAMED[shape]
    assert make().boundary()[0].name == part
    named = make(name="part 7")
    assert named.boundary()[0].name == f"part 7.{part}"
    assert "name=" not in repr(make())
    assert repr(named).endswith(", name='part 7')")
    assert named != make()
    edges = edges_of(named)
    assert edges is None or all(edge.name.startswith("part 7.") for edge in edges)
    with pytest.raises(ProblemError, match=rf"{shape}: name.*got 3"):
        make(name=3)
    with pytest.raises(ProblemError, match=rf"{shape}: name.*got ' hole'"):
        make(name=" hole")


def test_edges_of_other_domains() -> None:
    assert edges_of(CUBE) is None
    assert edges_of(Interval(0, 1)) is None
    assert [edge.name for edge in edges_of(SQUARE, ["a", "b"])] == ["b-", "a+", "b+", "a-"]
    ends = np.array([edge.curve.ends for edge in edges_of(SQUARE)])
    assert np.array_equal(ends[:, 1], np.roll(ends[:, 0], -1, axis=0))
