"""Modes in the plane that deceive: bound to a rim or to a narrow place, nearly double, in thin rings."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import sympy as sp
from random_families.draw import Draw
from random_families.line_modes import Line, constant, graded
from random_families.modes_line import X, function_of
from random_families.modes_plane import Y, membrane, radial
from random_families.modes_stated import End
from random_families.plane_modes import rings, sums

import fspielm as fs
from adversary_families.modes_challenge import BEYOND, ModesChallenge, asked_of

_ONE = constant(1.0)


def make_nearly_square(draw: Draw, close: bool) -> ModesChallenge:
    """Two sides that differ by nearly nothing: pairs that are nearly one."""
    side = draw.log_between(0.5, 3)
    nearly = draw.log_between(1e-13, 1e-3)
    other = side * (1 + (nearly if close else 0.3))
    end = draw.one_of((End("dirichlet"), End("neumann")))
    lines = [
        Line(_ONE, constant(0.0), _ONE, np.linspace(0, length, 9).tolist(), end.of(), end.of()).known(20)
        for length in (side, other)
    ]
    asked = asked_of(draw, membrane(), fs.Box((0, 0), (side, other)), [end.on(None)], sums(*lines, BEYOND + 4))
    return ModesChallenge(f"{'nearly square' if close else 'oblong'} box, {end.kind}", asked)


def make_pulling_rim(draw: Draw, pulls: bool) -> ModesChallenge:
    """A disk whose rim feeds what is there: a mode of every order is bound to it."""
    radius = draw.log_between(0.5, 3)
    end = End("robin", draw.log_between(2, 60) / radius * (-1 if pulls else 1))
    line = radial(0.0, radius, (None, end))
    known = rings(lambda m: replace(line(m), breaks=graded(0.0, radius, [(radius, 1 / abs(end.b))])), BEYOND + 4)
    asked = asked_of(draw, membrane(), fs.Disk((0, 0), radius), [end.on(None)], known)
    return ModesChallenge(f"disk whose rim {'pulls' if pulls else 'holds'}", asked)


def make_narrow_in_a_disk(draw: Draw, narrow: bool) -> ModesChallenge:
    """A narrow well in the middle of a disk."""
    radius, w = draw.log_between(0.5, 2), draw.log_between(3e-3, 5e-2)
    depth = draw.between(6, 20) / (w * radius) ** 2 * int(narrow)
    well = -depth * sp.exp(-((X / (w * radius)) ** 2))
    line = radial(0.0, radius, (None, End("dirichlet")), function_of(sp.sympify(well)))
    breaks = graded(0.0, radius, [(0.0, 0.5 * w * radius)])
    known = rings(lambda m: replace(line(m), breaks=breaks), BEYOND + 4)
    q = sp.sympify(well).subs(X, sp.sqrt(X**2 + Y**2))
    asked = asked_of(draw, membrane(q), fs.Disk((0, 0), radius), [fs.Dirichlet(0)], known)
    return ModesChallenge(f"{'narrow' if narrow else 'no'} well in a disk", asked, w / 2 if narrow else math.nan)


def make_thin_ring(draw: Draw, thin: bool) -> ModesChallenge:
    """A thin ring, whose modes are a cluster, in pairs."""
    outer, share = draw.log_between(0.5, 2), draw.between(0.02, 0.08) if thin else draw.between(0.4, 0.6)
    inner = float(f"{outer * (1 - share):.4g}")
    known = rings(radial(inner, outer, (End("dirichlet"), End("dirichlet"))), BEYOND + 4)
    asked = asked_of(draw, membrane(), fs.Annulus((0, 0), inner, outer), [fs.Dirichlet(0)], known)
    return ModesChallenge(f"{'thin' if thin else 'wide'} ring", asked, share / 2 if thin else math.nan)
