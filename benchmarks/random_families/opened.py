"""The family "open": objects in open space that radiate what sources inside of them would, and disks that scatter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from open_space_series import Disks, TransparentDisk

import fspielm as fs
from random_families.conditions import as_callable
from random_families.draw import Draw
from random_families.open_objects import Object, draw_objects
from random_families.outgoing import Medium, X, Y, draw_field, draw_medium
from random_families.problem import RandomProblem, draw_goal

U = sp.Function("u")(X, Y)
_NUMBER = 7
_LEAST = 1e-10
# Corners are singular where conditions are not those of a mirror, and cost digits.
_LEAST_AT_CORNERS = 1e-7
_MOST = 6000
_SECONDS = 240.0


def make_open(seed: int) -> RandomProblem:
    """The problem of a seed."""
    draw = Draw(np.random.default_rng([_NUMBER, seed]))
    kind = draw.one_of(("sources",) * 7 + ("scattering",) * 2 + ("transparent",))
    return {"sources": _radiating, "scattering": _scattering, "transparent": _transparent}[kind](draw, seed)


def _radiating(draw: Draw, seed: int) -> RandomProblem:
    """What sources in the objects make outside, told by values, slopes or mixtures on their boundaries."""
    size, number = draw.log_between(0.2, 5), draw.one_of((1, 1, 1, 1, 2, 2, 3, 4))
    objects, medium = draw_objects(draw, number, size), draw_medium(draw, size)
    depths = [draw.log_between(0.05, 0.6) for _ in objects for _ in range(draw.one_of((1, 1, 2)))]
    places = [objects[n % number].inside(draw, depth) for n, depth in enumerate(depths)]
    exact = draw_field(draw, medium, places, size)
    conditions, told = draw_conditions(draw, medium, objects, exact, size)
    if medium.kind == "laplace" and "dirichlet" in told and draw.chance(0.5):
        level = draw.between(-1, 1)
        exact += level
        conditions, told = _raised(conditions, level), f"{told}, a level far away"
    problem = fs.Problem(medium.equation(U), fs.Exterior(*(each.shape for each in objects)), conditions)
    corners = any("polygon" in each.kind for each in objects)
    tol, share, ample = draw_goal(draw, _LEAST_AT_CORNERS if corners else _LEAST)
    kinds = " and ".join(each.kind for each in objects)
    description = f"{_told(medium, size)} outside {kinds}, {told}; depths {min(depths):.2g} to {max(depths):.2g}"
    return RandomProblem(seed, "open", description, problem, exact, tol, share, ample, _MOST, seconds=_SECONDS)


def _told(medium: Medium, size: float) -> str:
    return medium.kind if medium.kind == "laplace" else f"{medium.kind}, k a = {abs(medium.k) * size:.2g},"


def draw_conditions(
    draw: Draw, medium: Medium, objects: tuple[Object, ...], exact: sp.Expr, size: float
) -> tuple[list[Any], str]:
    """A kind of condition for each object; now and then as callables."""
    slope = fs.normal_derivative(exact)
    kinds, conditions = [], []
    for each in objects:
        kind = draw.one_of(("dirichlet", "dirichlet", "neumann", "robin"))
        # du/dn = i k z u absorbs what comes in, with normals into the objects
        alpha = (
            draw.log_between(0.2, 3) / size
            if medium.kind in ("laplace", "screened")
            else -1j * draw.log_between(0.1, 2) * abs(medium.k)
        )
        on = list(each.parts) if len(objects) > 1 else None
        kinds.append(kind)
        conditions.append(
            {
                "dirichlet": lambda on=on: fs.Dirichlet(exact, on=on),
                "neumann": lambda on=on: fs.Neumann(slope, on=on),
                "robin": lambda on=on, alpha=alpha: fs.Robin(alpha, 1, alpha * exact + slope, on=on),
            }[kind]()
        )
    told = " and ".join(sorted(set(kinds)))
    if set(kinds) == {"dirichlet"} and draw.chance(0.3):
        values = as_callable(exact, (X, Y))
        return [fs.Dirichlet(values)], f"{told}, callable data"
    return conditions, told


def _raised(conditions: list[Any], level: float) -> list[Any]:
    """For a field that is higher by a level."""
    found: list[Any] = []
    for each in conditions:
        if isinstance(each, fs.Neumann):
            found.append(each)
        elif callable(each.value):
            below = each.value
            found.append(fs.Dirichlet(lambda points, below=below: below(points) + level))
        elif isinstance(each, fs.Dirichlet):
            found.append(fs.Dirichlet(each.value + level, on=each.on))
        else:
            found.append(fs.Robin(each.alpha, each.beta, each.value + each.alpha * level, on=each.on))
    return found


def _scattering(draw: Draw, seed: int) -> RandomProblem:
    """Equal disks in a plane wave, by their series."""
    number, radius = draw.one_of((1, 1, 1, 2, 3)), draw.log_between(0.2, 3)
    ka = draw.log_between(0.1, 50 if number == 1 else 12)
    k, angle = float(f"{ka / radius:.4g}"), draw.between(0, 6.28)
    centers = [(draw.between(-3, 3) * radius, draw.between(-3, 3) * radius)]
    while len(centers) < number:
        (x, y), away, turn = draw.one_of(centers), draw.between(2.2, 5) * radius, draw.phase()
        place = (float(f"{x + away * math.cos(turn):.5g}"), float(f"{y + away * math.sin(turn):.5g}"))
        if all(math.dist(place, other) > 2.15 * radius for other in centers):
            centers.append(place)
    kind = draw.one_of(("soft", "hard", "impedance"))
    z = -1j * draw.log_between(0.1, 2) * k
    alpha, beta = {"soft": (1.0, 0.0), "hard": (0.0, 1.0), "impedance": (z, 1.0)}[kind]
    condition = {"soft": fs.Dirichlet(0), "hard": fs.Neumann(0), "impedance": fs.Robin(z, 1, 0)}[kind]
    orders = round(1.1 * ka) + (30 if number == 1 else 50)
    series = Disks(np.array(centers), radius, k, angle, alpha, beta, orders)
    domain = fs.Exterior(*(fs.Disk(center, radius) for center in centers))
    problem = _in_plane_wave(k, angle, domain, condition)
    tol, share, ample = draw_goal(draw, _LEAST)
    description = f"waves, k a = {ka:.2g}, scattered by {number} disks, {kind}; series"
    return RandomProblem(
        seed, "open", description, problem, series.scattered, tol, share, ample, _MOST, seconds=_SECONDS, added=True
    )


def _in_plane_wave(k: float, angle: float, domain: Any, condition: Any) -> fs.Problem:
    incident = fs.plane_wave(k, (math.cos(angle), math.sin(angle)))
    return fs.Problem(Medium("waves", k).equation(U), domain, [condition], incident=incident)


def _transparent(draw: Draw, seed: int) -> RandomProblem:
    """A disk that lets waves through, some of them lossy, by its series."""
    radius, ka, angle = draw.log_between(0.2, 3), draw.log_between(0.2, 20), draw.between(0, 6.28)
    k, center = float(f"{ka / radius:.4g}"), (draw.between(-3, 3) * radius, draw.between(-3, 3) * radius)
    index = complex(draw.between(0.5, 2.2), draw.log_between(1e-3, 1) if draw.chance(0.4) else 0.0)
    inside = index * k if index.imag else index.real * k
    flux = 1.0 if draw.chance(0.5) else draw.log_between(0.2, 3)
    series = TransparentDisk(center, radius, k, inside, flux, angle, orders=round(1.1 * ka * abs(index)) + 30)
    problem = _in_plane_wave(k, angle, fs.Exterior(fs.Disk(center, radius)), fs.Transparent(inside, flux))
    tol, share, ample = draw_goal(draw, 1e-9)
    description = f"waves, k a = {ka:.2g}, through a disk of index {index:.3g}, flux {flux:g}; series"
    return RandomProblem(
        seed, "open", description, problem, series.scattered, tol, share, ample, _MOST, seconds=_SECONDS, added=True
    )
