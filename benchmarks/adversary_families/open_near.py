"""Open space: sources next to a boundary, disks that nearly touch, tiny objects beside large ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.conditions import as_callable
from random_families.draw import Draw
from random_families.open_objects import Object, draw_object
from random_families.outgoing import Medium, X, Y

import fspielm as fs
from adversary_families.challenge import Challenge
from adversary_families.narrow import Spot
from adversary_families.stating import Stating, draw_goal

U = sp.Function("u")(X, Y)


def draw_medium(draw: Draw, size: float) -> Medium:
    """Waves that are not short beside objects of this radius, or Laplace's equation."""
    if draw.chance(0.4):
        return Medium("laplace", 0.0)
    return Medium("waves", float(f"{draw.log_between(0.3, 12) / size:.4g}"))


def deep_field(draw: Draw, medium: Medium, each: Object) -> sp.Expr:
    """What two sources deep in an object make."""
    order = 1 if medium.kind == "laplace" else 0
    places = [each.inside(draw, draw.between(0.4, 0.8)) for _ in range(2)]
    return sum(draw.between(0.5, 1.5) * medium.multipole(p, order, draw.phase(), each.radius) for p in places)


def make_near(draw: Draw, narrow: bool) -> Challenge:
    """A source or a dipole just below the surface of an object; a charge has its opposite farther inside."""
    goal, size = draw_goal(draw, 2, 1e-7), draw.log_between(0.4, 3)
    each = draw_object(draw, (draw.between(-2, 2) * size, draw.between(-2, 2) * size), size, "")
    medium = draw_medium(draw, size)
    exact = deep_field(draw, medium, each)
    foot, inward = _foot(draw, each)
    domain = fs.Exterior(each.shape)
    lower, upper = domain.bounding_box
    depth = goal.width * float((upper - lower).max())
    place = (float(foot[0] + depth * inward[0]), float(foot[1] + depth * inward[1]))
    dipole = draw.chance(0.3)
    strength = draw.log_between(0.1, 1) * draw.one_of((-1, 1)) * narrow
    field = medium.multipole(place, int(dipole), draw.phase(), size)
    if medium.kind == "laplace" and not dipole:
        field -= medium.multipole(each.inside(draw, 0.6), 0, 0.0, size)
    exact += strength * field
    stating = Stating((X, Y), goal.stated == "callable")
    if goal.stated == "callable" or draw.chance(0.6):
        condition, told = fs.Dirichlet(stating.value(exact)), "values"
    elif draw.chance(0.5):
        condition, told = fs.Neumann(fs.normal_derivative(exact)), "slopes"
    else:
        alpha = 1 / size if medium.kind == "laplace" else -1j * abs(medium.k)
        condition, told = fs.Robin(alpha, 1, alpha * exact + fs.normal_derivative(exact)), "mixed"
    return Challenge(
        f"{'dipole' if dipole else 'source'} just inside, {medium.kind}, {told}, {each.kind}",
        fs.Problem(medium.equation(U), domain, [condition]),
        as_callable(exact, (X, Y)),
        goal.tol,
        goal.width,
        goal.stated,
        goal.beyond,
        spots=(Spot((0, 1), (float(foot[0]), float(foot[1])), depth),) if narrow else (),
    )


def _foot(draw: Draw, each: Object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A point of the boundary that is no corner, and the direction into the object."""
    part = draw.one_of(each.shape.boundary())
    site = part.sample(1, draw.rng)
    assert site.normals is not None
    return site.points[0], -site.normals[0]


def make_touching(draw: Draw, close: bool) -> Challenge:
    """Two disks with a narrow gap: at constant potentials, or with waves of one source in each, close to the gap.

    For circles around two points with a constant ratio of distances from these, the logarithm of the ratio is constant.
    """
    a, tol = draw.log_between(0.4, 3), draw.log_between(1e-9, 1e-4)
    b = float(f"{a * draw.between(0.3, 1):.3g}")
    gap = (draw.log_between(1e-6, 2e-2) if close else draw.between(0.4, 1.5)) * b
    away, angle = a + b + gap, draw.phase()
    middle = np.array([draw.between(-2, 2), draw.between(-2, 2)]) * a
    along = np.array([math.cos(angle), math.sin(angle)])
    axis = (away**2 + a**2 - b**2) / (2 * away)
    # the square of the half distance of both points without what cancels
    half = math.sqrt(gap * (gap + 2 * a) * (gap + 2 * b) * (away + a + b)) / (2 * away)
    first, second = (tuple(float(v) for v in middle + (axis + sign * half) * along) for sign in (-1, 1))
    shapes = (fs.Disk(middle.tolist(), a, name="one"), fs.Disk((middle + away * along).tolist(), b, name="other"))
    domain = fs.Exterior(*shapes)
    lower, upper = domain.bounding_box
    width = gap / float((upper - lower).max())
    waves = draw.chance(0.4)
    if waves:
        medium = Medium("waves", float(f"{draw.log_between(0.3, 8) / a:.4g}"))
        exact = medium.multipole(first, 0, 0.3, a) - draw.between(0.5, 1) * medium.multipole(second, 0, 0.0, a)
        conditions: list[Any] = [fs.Dirichlet(exact)]
    else:
        medium = Medium("laplace", 0.0)
        ratio = sp.log(((X - first[0]) ** 2 + (Y - first[1]) ** 2) / ((X - second[0]) ** 2 + (Y - second[1]) ** 2)) / 2
        values = [draw.between(0.3, 1), draw.between(-1, -0.3)]
        levels = [
            math.log((a - axis + half) / (axis + half - a)),
            math.log((away - b - axis + half) / (axis + half - away + b)),
        ]
        slope = (values[1] - values[0]) / (levels[1] - levels[0])
        exact = values[0] + slope * (ratio - levels[0])
        conditions = [fs.Dirichlet(v, on=f"{name}.circle") for v, name in zip(values, ("one", "other"), strict=True)]
    spot = tuple(float(v) for v in middle + (a + gap / 2) * along)
    return Challenge(
        f"disks that {'nearly touch' if close else 'are apart'}, {'waves' if waves else 'potentials'}",
        fs.Problem(medium.equation(U), domain, conditions),
        as_callable(exact, (X, Y)),
        tol,
        width if close else math.nan,
        spots=(Spot((0, 1), spot, gap),) if close else (),
    )


def make_tiny(draw: Draw, tiny: bool) -> Challenge:
    """A wire beside a large object, with a source of its own."""
    size, tol = draw.log_between(0.4, 3), draw.log_between(1e-9, 1e-4)
    medium = draw_medium(draw, size)
    large = draw_object(draw, (0.0, 0.0), size, "large")
    radius = float(f"{size * (draw.log_between(1e-6, 1e-2) if tiny else draw.between(0.2, 0.5)):.3g}")
    away, angle = size * (1 + draw.between(0.7, 1.5)), draw.phase()
    place = (float(f"{away * math.cos(angle):.4g}"), float(f"{away * math.sin(angle):.4g}"))
    exact = deep_field(draw, medium, large)
    wire = medium.multipole(place, 0, draw.phase(), size)
    if medium.kind == "laplace":
        wire -= medium.multipole(large.inside(draw, 0.6), 0, 0.0, size)
    exact += draw.log_between(0.1, 1) * wire
    hard = draw.chance(0.3)
    conditions: list[Any] = [fs.Dirichlet(exact, on=list(large.parts))]
    conditions.append(
        (fs.Neumann(fs.normal_derivative(exact), on="tiny.circle")) if hard else fs.Dirichlet(exact, on="tiny.circle")
    )
    domain = fs.Exterior(large.shape, fs.Disk(place, radius, name="tiny"))
    lower, upper = domain.bounding_box
    return Challenge(
        f"{'tiny' if tiny else 'small'} disk beside {large.kind}, {medium.kind}, {'slopes' if hard else 'values'}",
        fs.Problem(medium.equation(U), domain, conditions),
        as_callable(exact, (X, Y)),
        tol,
        radius / float((upper - lower).max()),
        spots=(Spot((0, 1), place, radius),),
    )
