"""Helmholtz' equation in a medium that varies: boxes, a star-shaped curve, a polygon with two holes, a lens."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from patch_problems.elements import Elements, box, outline, polygon
from patch_problems.example import PatchProblem, patch_problem, source_of, steady, x, y

_OUTER = [(0.0, 0.1), (0.5, 0.0), (1.0, 0.2), (0.9, 0.6), (1.0, 0.9), (0.4, 1.0), (0.1, 0.7)]
_HOLES = ([(0.25, 0.25), (0.45, 0.3), (0.35, 0.5)], [(0.6, 0.55), (0.8, 0.6), (0.75, 0.8), (0.6, 0.75)])


def _medium(wavelengths: float) -> tuple[sp.Expr, sp.Expr]:
    """The square of the wavenumber, and a wave that bends; both neither polynomial nor separable."""
    k = 2 * math.pi * wavelengths
    index = 1 + sp.Rational(3, 10) * sp.exp(-6 * ((x - 0.4) ** 2 + (y - 0.55) ** 2)) + sp.sin(2 * x * y + 1) / 10
    phase = 0.8 * x + 0.55 * y + 0.15 * sp.sin(2 * x + y**2)
    return k**2 * index**2, (1 + x * y / 2) * sp.sin(k * phase) + sp.cos(k * (0.9 * y - 0.3 * x * y)) / 3


def _within(domain: Domain, wavelengths: float, tol: float = 1e-9) -> PatchProblem:
    square, exact = _medium(wavelengths)
    stated = steady(domain, exact, c=square)
    shape = {fs.Box: lambda: box((0, 0), (1, 1)), fs.PolarCurve: lambda: outline(domain)}.get(type(domain), _with_holes)
    elements = Elements(shape(), 1.5 / wavelengths, c=square, f=source_of(stated), value=exact, curve=2)
    return PatchProblem(stated, tol, wavelengths, elements=elements)


def _with_holes() -> Callable[[Any], Any]:
    def shape(occ: Any) -> Any:
        face = polygon(_OUTER)(occ)
        for hole in _HOLES:
            face = face - polygon(hole)(occ)
        return face

    return shape


@patch_problem("medium, 10", "Helmholtz in a medium that varies, box, 10 wavelengths")
def medium_10() -> PatchProblem:
    """Ten wavelengths."""
    return _within(fs.Box((0, 0), (1, 1)), 10)


@patch_problem("medium, 20", "the same, 20 wavelengths")
def medium_20() -> PatchProblem:
    """Twenty."""
    return _within(fs.Box((0, 0), (1, 1)), 20)


@patch_problem("medium, 40", "the same, 40 wavelengths")
def medium_40() -> PatchProblem:
    """Forty."""
    return _within(fs.Box((0, 0), (1, 1)), 40)


@patch_problem("medium, 100", "the same, 100 wavelengths")
def medium_100() -> PatchProblem:
    """A hundred, to six digits."""
    return _within(fs.Box((0, 0), (1, 1)), 100, 1e-6)


@patch_problem("medium in a star", "the same within a star-shaped curve, 20 wavelengths")
def star() -> PatchProblem:
    """Five arms."""
    theta = sp.Symbol("theta")
    return _within(fs.PolarCurve(0.45 * (1 + sp.cos(5 * theta) / 5), (0.5, 0.5)), 20)


@patch_problem("medium with holes", "the same in a polygon with two holes, 20 wavelengths")
def holes() -> PatchProblem:
    """Corners everywhere, of a solution that does not see them."""
    domain = fs.Polygon(_OUTER) - fs.Polygon(_HOLES[0], name="one") - fs.Polygon(_HOLES[1], name="two")
    return _within(domain, 20)


def _lens(wavelengths: float) -> PatchProblem:
    """A beam comes in through x = 0 and leaves through the other sides."""
    k = 2 * math.pi * wavelengths
    square = k**2 * (1 + sp.exp(-((x - 0.5) ** 2 + (y - 0.5) ** 2) / 0.03) / 2) ** 2
    beam = -2 * sp.I * k * sp.exp(-(((y - 0.5) / 0.13) ** 2))
    conditions = [fs.Robin(-sp.I * k, 1, beam, on="x-"), fs.Robin(-sp.I * k, 1, 0, on=["x+", "y-", "y+"])]
    stated = steady(fs.Box((0, 0), (1, 1)), None, c=square, f=0, conditions=conditions)
    walls = {"x-": (-sp.I * k, beam), "x+|y-|y+": (-sp.I * k, 0)}
    elements = Elements(box((0, 0), (1, 1)), 1 / wavelengths, c=square, held="", open=walls, complex=True)
    return PatchProblem(stated, 1e-9, wavelengths, elements=elements)


@patch_problem("lens, 10", "a lens lit through one side, impedance on the others, 10 wavelengths")
def lens_10() -> PatchProblem:
    """Ten wavelengths."""
    return _lens(10)


@patch_problem("lens, 20", "the same, 20 wavelengths")
def lens_20() -> PatchProblem:
    """Twenty."""
    return _lens(20)


@patch_problem("lens, 40", "the same, 40 wavelengths")
def lens_40() -> PatchProblem:
    """Forty."""
    return _lens(40)
