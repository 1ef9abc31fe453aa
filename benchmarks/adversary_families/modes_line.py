"""Modes on a line that deceive: bound to narrow places or an end, in pairs and clusters, at ends of intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp
from random_families.asked_modes import LAM
from random_families.draw import Draw
from random_families.line_modes import Line, constant, graded
from random_families.modes_line import U, X, function_of
from random_families.modes_stated import End

import fspielm as fs
from adversary_families.modes_challenge import BEYOND, ModesChallenge, asked_of
from adversary_families.profiles import GAUSSIAN, POLE, SECH2
from adversary_families.stating import Stating, draw_goal

_ONE = constant(1.0)
_WIDE = 0.3


def _schroedinger(potential: Any) -> sp.Eq:
    return sp.Eq(-U.diff(X, 2) + potential * U, LAM * U, evaluate=False)


def make_narrow_well(draw: Draw, narrow: bool) -> ModesChallenge:
    """A narrow well, which binds deep within itself, or weakly, far beyond it."""
    goal, x0, profile = draw_goal(draw, 1, 1e-5), draw.between(0.25, 0.75), draw.one_of((GAUSSIAN, POLE, SECH2))
    w = goal.width
    # either a state within the well, or one of which most is beside it
    depth = draw.between(3, 12) / w**2 if draw.chance(0.5) else draw.between(3, 20) / w
    depth *= narrow
    wall = draw.one_of((fs.Dirichlet(0), fs.Neumann(0)))
    smooth = draw.between(-10, 10) * sp.cos(draw.between(1, 6) * X)
    well = smooth - depth * profile.of(X - x0, w)
    stating = Stating((X,), goal.stated == "callable")
    end = None if isinstance(wall, fs.Dirichlet) else 0.0
    line = Line(_ONE, function_of(well), _ONE, graded(0.0, 1.0, [(x0, 0.5 * w)]), end, end)
    asked = asked_of(
        draw,
        _schroedinger(stating.inside("q", well)),
        fs.Interval(0, 1),
        [wall],
        line.known(BEYOND + 6),
        stating.given,
    )
    name = f"{'narrow' if narrow else 'no'} well, {profile.name}"
    return ModesChallenge(name, asked, w if narrow else math.nan, goal.stated, goal.beyond)


def make_heavy(draw: Draw, narrow: bool) -> ModesChallenge:
    """A bead on a string."""
    goal, x0, profile = draw_goal(draw, 1, 1e-6), draw.between(0.25, 0.75), draw.one_of((GAUSSIAN, POLE, SECH2))
    w = goal.width
    bead = 1 + draw.between(0.2, 3) / w * profile.of(X - x0, w) * int(narrow)
    stating = Stating((X,), goal.stated == "callable")
    line = Line(_ONE, constant(0.0), function_of(sp.sympify(bead)), graded(0.0, 1.0, [(x0, 0.5 * w)]))
    equation = sp.Eq(-U.diff(X, 2), LAM * stating.inside("m", bead) * U, evaluate=False)
    asked = asked_of(draw, equation, fs.Interval(0, 1), [fs.Dirichlet(0)], line.known(BEYOND + 6), stating.given)
    name = f"{'string with a bead' if narrow else 'string'}, {profile.name}"
    return ModesChallenge(name, asked, w if narrow else math.nan, goal.stated, goal.beyond)


def make_soft(draw: Draw, narrow: bool) -> ModesChallenge:
    """A narrow soft place in a string that is free at both ends: nearly a second mode at zero."""
    goal, x0 = draw_goal(draw, 1, 1e-4), draw.between(0.25, 0.75)
    w = max(goal.width, 1e-4)
    share = draw.log_between(0.01, 0.3)
    low = share * w if narrow else 0.5
    width = w if narrow else _WIDE
    stiff = 1 - (1 - low) * GAUSSIAN.of(X - x0, width)
    line = Line(
        function_of(stiff), constant(0.0), _ONE, graded(0.0, 1.0, [(x0, 0.5 * math.sqrt(low) * width)]), 0.0, 0.0
    )
    equation = sp.Eq(-sp.diff(stiff * U.diff(X), X).doit(), LAM * U, evaluate=False)
    asked = asked_of(draw, equation, fs.Interval(0, 1), [fs.Neumann(0)], line.known(BEYOND + 6))
    return ModesChallenge(f"{'narrow' if narrow else 'wide'} soft place", asked, w if narrow else math.nan)


def make_two_wells(draw: Draw, close: bool) -> ModesChallenge:
    """Two wells with a wall between them: pairs that are closer than any tolerance, or well apart."""
    a = draw.between(2.2, 3.2) if close else draw.between(0.8, 1.2)
    b = draw.between(1, 4)
    # a little tilt makes the pair one of two states, each in a well of its own
    tilt = draw.log_between(1e-12, 1e-6) * draw.one_of((0, 1))
    well = b * (X**2 - a**2) ** 2 + tilt * X
    reach = float(f"{a + 4.5 / b**0.25:.4g}")
    line = Line(_ONE, function_of(well), _ONE, np.linspace(-reach, reach, 31).tolist())
    asked = asked_of(draw, _schroedinger(well), fs.Interval(-reach, reach), [fs.Dirichlet(0)], line.known(BEYOND + 4))
    return ModesChallenge(f"two wells {'far' if close else 'not far'} apart{', tilted' * bool(tilt)}", asked)


def make_row_of_wells(draw: Draw, close: bool) -> ModesChallenge:
    """A crystal of some wells: a cluster of as many values."""
    number, depth = draw.one_of((3, 4, 5, 6)), draw.between(30, 80) if close else draw.between(0, 3)
    well = -depth * sp.cos(2 * sp.pi * X) * draw.between(3, 8)
    ring = draw.chance(0.5)
    breaks = np.linspace(-0.5, number - 0.5, 6 * number + 1).tolist()
    line = Line(_ONE, function_of(well), _ONE, breaks, periodic=ring)
    conditions = [fs.Periodic("x") if ring else fs.Dirichlet(0)]
    domain = fs.Interval(-0.5, number - 0.5)
    asked = asked_of(draw, _schroedinger(well), domain, conditions, line.known(2 * number + BEYOND))
    return ModesChallenge(f"row of {number} {'deep' if close else 'shallow'} wells{' in a ring' * ring}", asked)


def make_pulling_end(draw: Draw, pulls: bool) -> ModesChallenge:
    """An end that feeds what is there, so that a mode is bound to it, far below all others."""
    b = draw.log_between(3, 1000) * (-1 if pulls else 1)
    both = draw.chance(0.4)
    ends = (End("robin", b), End("robin", b * draw.between(0.3, 1)) if both else End("dirichlet"))
    length = draw.log_between(0.5, 3)
    places = [(0.0, 1 / abs(b)), (length, 1 / abs(b))]
    line = Line(_ONE, constant(0.0), _ONE, graded(0.0, length, places), ends[0].of(), ends[1].of())
    conditions = [ends[0].on("x-"), ends[1].on("x+")]
    asked = asked_of(draw, _schroedinger(0), fs.Interval(0, length), conditions, line.known(BEYOND + 4))
    return ModesChallenge(f"ends that {'pull' if pulls else 'hold'}", asked, 1 / abs(b) / length if pulls else math.nan)


def make_neck(draw: Draw, narrow: bool) -> ModesChallenge:
    """Sound in two rooms with a narrow neck between them: cross sections multiply slopes and values alike."""
    x0, w = draw.between(0.4, 0.6), draw.log_between(2e-3, 5e-2)
    least = draw.log_between(1e-6, 1e-2)
    low = least if narrow else 0.7
    width = w if narrow else _WIDE
    section = 1 - (1 - low) * GAUSSIAN.of(X - x0, width)
    at = function_of(section)
    line = Line(at, constant(0.0), at, graded(0.0, 1.0, [(x0, 0.5 * math.sqrt(low) * width)]), 0.0, 0.0)
    equation = sp.Eq(-sp.diff(section * U.diff(X), X).doit(), LAM * section * U, evaluate=False)
    asked = asked_of(draw, equation, fs.Interval(0, 1), [fs.Neumann(0)], line.known(BEYOND + 4))
    return ModesChallenge(f"rooms with a {'narrow' if narrow else 'wide'} neck", asked, w if narrow else math.nan)


def make_end_at_a_value(draw: Draw, close: bool) -> ModesChallenge:
    """An interval whose ends are next to values, on either side."""
    length = draw.log_between(0.5, 4)
    potential = draw.between(-5, 5) * sp.sin(draw.between(1, 4) * X)
    line = Line(_ONE, function_of(potential), _ONE, np.linspace(0, length, 13).tolist())
    known = line.known(BEYOND + 6)
    asked = asked_of(draw, _schroedinger(potential), fs.Interval(0, length), [fs.Dirichlet(0)], known)
    first, last = draw.one_of((0, 1, 2)), draw.one_of((3, 4, 5))
    off = [draw.log_between(1e-12, 1e-4) * draw.one_of((-1, 1)) for _ in range(2)]
    off = off if close else [0.3, 0.3]
    gaps = np.diff(known.values)
    ends = [float(known.values[n] + o * gaps[n]) for n, o in zip((first, last), off, strict=True)]
    return ModesChallenge(
        f"interval whose ends are {'next to' if close else 'apart from'} values",
        replace(asked, wish={"within": (ends[0], ends[1])}),
    )
