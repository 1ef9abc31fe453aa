"""Eigenvalues of problems that are not selfadjoint: drifts, and couplings one way, of which values move easily."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy as sp
from random_families.asked_modes import LAM
from random_families.draw import Draw
from random_families.line_modes import Known, Line, constant
from random_families.modes_line import U, X, function_of
from random_families.modes_plane import Y
from random_families.plane_modes import sums

import fspielm as fs
from adversary_families.modes_challenge import BEYOND, ModesChallenge, asked_of

_ONE = constant(1.0)
# Values beyond those that are looked at.
_MORE = 6


def make_drifting(draw: Draw, strong: bool) -> ModesChallenge:
    """Any of the kinds; nothing is said of completeness, which is not claimed for such problems."""
    maker = draw.one_of((_drift, _drift, _drift, _one_way, _one_way, _drift_in_a_box))
    return replace(maker(draw, strong), claims_all=False)


def _drift(draw: Draw, strong: bool) -> ModesChallenge:
    """-u'' + 2 g' u' = lam u: with u = exp(g) v it is -v'' + (g'^2 - g'') v = lam v."""
    length = draw.log_between(0.5, 3)
    most, least = draw.log_between(3, 22), draw.between(0.05, 0.8)
    total = (most if strong else least) * draw.one_of((-1, 1))
    t, bend = X / length, draw.one_of((0.0, draw.between(0.1, 0.6)))
    g = total * (t + bend * sp.sin(sp.pi * t) / 2)
    rises = [bool(draw.chance(0.25)), bool(draw.chance(0.25))]  # where the slope is zero
    slope = sp.diff(g, X)
    ends = [float(slope.subs(X, place)) for place in (0, length)]
    sides = [(-ends[0] if rises[0] else None), (ends[1] if rises[1] else None)]
    potential = sp.expand(slope**2 - slope.diff(X))
    line = Line(_ONE, function_of(potential), _ONE, np.linspace(0, length, 25).tolist(), *sides)
    equation = sp.Eq(-U.diff(X, 2) + 2 * slope * U.diff(X), LAM * U, evaluate=False)
    conditions = [
        (fs.Neumann if rise else fs.Dirichlet)(0, on=side) for rise, side in zip(rises, ("x-", "x+"), strict=True)
    ]
    asked = asked_of(draw, equation, fs.Interval(0, length), conditions, line.known(BEYOND + _MORE))
    return ModesChallenge(f"{'strong' if strong else 'weak'} drift, 1d", asked)


def _one_way(draw: Draw, strong: bool) -> ModesChallenge:
    """Two strings of which one drives the other: values are those of both, and move by the coupling over their gap."""
    length = draw.log_between(0.5, 3)
    much, little = draw.log_between(1e2, 1e6), draw.between(0, 1)
    coupling = (much if strong else little) / length**2
    gap = draw.log_between(0.03, 1) * 9.87 / length**2
    v = sp.Function("v")(X)
    equations = [
        sp.Eq(-U.diff(X, 2) + coupling * sp.cos(draw.between(0, 3) * X / length) * v, LAM * U, evaluate=False),
        sp.Eq(-v.diff(X, 2) + gap * v, LAM * v, evaluate=False),
    ]
    line = Line(_ONE, constant(0.0), _ONE, np.linspace(0, length, 13).tolist()).known(BEYOND + _MORE)
    order = np.argsort(np.concatenate([line.values, line.values + gap]), kind="stable")[: BEYOND + _MORE]
    known = Known(
        np.concatenate([line.values, line.values + gap])[order], np.concatenate([line.slack, line.slack])[order]
    )
    asked = asked_of(draw, equations, fs.Interval(0, length), [fs.Dirichlet({U: 0, v: 0})], known)
    return ModesChallenge(f"{'strong' if strong else 'weak'} coupling one way, 1d", asked)


def _drift_in_a_box(draw: Draw, strong: bool) -> ModesChallenge:
    """The same along two axes."""
    u = sp.Function("u")(X, Y)
    sides = [draw.log_between(0.6, 2), draw.log_between(0.6, 2)]
    totals = [(draw.between(3, 12) if strong else draw.between(0.05, 0.8)) for _ in sides]
    slopes = [total / side for total, side in zip(totals, sides, strict=True)]
    lines = [
        Line(_ONE, constant(slope**2), _ONE, np.linspace(0, side, 9).tolist()).known(20)
        for slope, side in zip(slopes, sides, strict=True)
    ]
    drift = 2 * slopes[0] * u.diff(X) + 2 * slopes[1] * u.diff(Y)
    equation = sp.Eq(-u.diff(X, 2) - u.diff(Y, 2) + drift, LAM * u, evaluate=False)
    asked = asked_of(draw, equation, fs.Box((0, 0), tuple(sides)), [fs.Dirichlet(0)], sums(*lines, BEYOND + 4))
    return ModesChallenge(f"{'strong' if strong else 'weak'} drift, box", asked)
