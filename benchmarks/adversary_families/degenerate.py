"""Leading coefficients that vanish, at an end or inside, and growth along a coordinate of space."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from random_families.conditions import as_callable
from random_families.draw import Draw
from scipy.special import airy, iv, jv

import fspielm as fs
from adversary_families.challenge import Challenge, Exact, stacked
from adversary_families.stating import Stating

_X, _Y = sp.symbols("x y")
_Maker = Callable[[Draw, bool], Challenge]


def make_degenerate(draw: Draw, deceptive: bool) -> Challenge:
    """A leading coefficient that vanishes at an end, or at a point of the plane: solutions are not smooth there."""
    makers: tuple[_Maker, ...] = (_root_at_an_end, _root_at_an_end, _power_of_radius, _root_at_a_side, _bessel)
    return draw.one_of(makers)(draw, deceptive)


def make_vanishing(draw: Draw, deceptive: bool) -> Challenge:
    """A leading coefficient that vanishes inside: both sides have solutions of their own."""
    makers: tuple[_Maker, ...] = (_first_order, _second_order, _second_order, _system, _plane)
    return draw.one_of(makers)(draw, deceptive)


def make_one_sided(draw: Draw, deceptive: bool) -> Challenge:
    """All data at one end, from which the last digits of them grow; twins decay, or have data at both ends."""
    makers: tuple[_Maker, ...] = (_growing_first, _growing_second, _growing_second, _growing_system, _growing_plane)
    return draw.one_of(makers)(draw, deceptive)


def _tol(draw: Draw) -> float:
    return draw.log_between(1e-8, 1e-4)


def _of_x(function: Callable[[NDArray[np.float64]], Any]) -> Exact:
    return lambda points: np.asarray(function(points[:, 0]))


def _smooth(draw: Draw, length: float) -> sp.Expr:
    """A smooth function of x, of the size of one."""
    k = draw.between(0.5, 5) / length
    return draw.between(0.5, 1.5) + draw.between(0.2, 1) * sp.sin(k * _X + draw.phase())


def _from_zero(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The length over which roots of x change, for whoever differentiates them."""
    return np.maximum(np.abs(points[:, :1]), 1e-9) * np.ones(points.shape[1])


# class a


def _root_at_an_end(draw: Draw, deceptive: bool) -> Challenge:
    """``x u'' + a u' = f``, with a part ``x^(1 - a)`` of any size in the solution; the twin has none, or no zero."""
    length, a, size = draw.log_between(0.5, 3), draw.between(0.15, 0.85), draw.log_between(1e-5, 1)
    tol, w, away = _tol(draw), _smooth(draw, length), draw.chance(0.5)
    u = sp.Function("u")(_X)
    root = size * (_X / length) ** (1 - a) if deceptive else sp.Integer(0)
    lead = _X + (length / 2 if away and not deceptive else 0)

    def applied(v: Any) -> Any:
        return lead * v.diff(_X, 2) + a * v.diff(_X)

    exact = w + root
    values = [sp.Float(sp.sympify(exact).subs(_X, end).evalf(17)) for end in (sp.Float(0), sp.Float(length))]
    conditions = [fs.Dirichlet(value, on=side) for value, side in zip(values, ("x-", "x+"), strict=True)]
    problem = fs.Problem(sp.Eq(applied(u), applied(w)), fs.Interval(0, length), conditions)
    kind = "a root at an end" if deceptive else "no root at an end"
    return Challenge(kind, problem, as_callable(exact, (_X,)), tol, scale=_from_zero if deceptive else None)


def _power_of_radius(draw: Draw, deceptive: bool) -> Challenge:
    """``(x^2 + y^2) lap u = nu^2 u``, of which ``r^nu`` is a solution; the twin has no zero."""
    nu, radius, tol = draw.between(0.3, 3.7), draw.log_between(0.5, 2), _tol(draw)
    if abs(nu - round(nu)) < 0.1:
        nu += 0.3
    u = sp.Function("u")(_X, _Y)
    square = _X**2 + _Y**2
    lap = u.diff(_X, 2) + u.diff(_Y, 2)
    shift = draw.between(0.3, 1)
    smooth = sp.cos(draw.between(0.5, 2) * _X + draw.phase()) * sp.exp(draw.between(-0.7, 0.7) * _Y)
    domain: Any = fs.Disk((0, 0), radius) if draw.chance(0.5) else fs.Box((-radius, -radius), (0.8 * radius, radius))
    if deceptive:
        exact: Any = square ** (sp.Float(nu) / 2)
        problem = fs.Problem(sp.Eq(square * lap, nu**2 * u), domain, [fs.Dirichlet(exact)])
    else:
        exact = smooth
        lead = square + (shift * radius) ** 2
        source = lead * (smooth.diff(_X, 2) + smooth.diff(_Y, 2)) - nu**2 * smooth
        problem = fs.Problem(sp.Eq(lead * lap - nu**2 * u, source), domain, [fs.Dirichlet(exact)])
    kind = f"{'a' if deceptive else 'no'} power of the radius"
    return Challenge(kind, problem, as_callable(exact, (_X, _Y)), tol)


def _root_at_a_side(draw: Draw, deceptive: bool) -> Challenge:
    """``x lap u + a u_x = 0`` on a rectangle, with ``x^nu I_nu(k x) sin(k y)``, nu = (1 - a) / 2."""
    a, k, tol = draw.between(0.15, 0.85), draw.between(1, 4), _tol(draw)
    u = sp.Function("u")(_X, _Y)
    nu, phase = (1 - a) / 2, draw.phase()
    shift = 0.0 if deceptive else draw.between(0.3, 0.8)
    unit = float(iv(nu, k))

    def along(s: NDArray[np.float64]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = (s + shift) ** nu * iv(nu, k * (s + shift)) / unit
        return values

    def exact(points: NDArray[np.float64]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = along(np.maximum(points[:, 0], -shift)) * np.sin(k * points[:, 1] + phase)
        return values

    equation = sp.Eq((_X + shift) * (u.diff(_X, 2) + u.diff(_Y, 2)) + a * u.diff(_X), 0)
    problem = fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(exact)])
    kind = f"{'a root' if deceptive else 'no root'} at a side"
    return Challenge(kind, problem, exact, tol, scale=_from_zero if deceptive else None)


def _bessel(draw: Draw, deceptive: bool) -> Challenge:
    """Bessel's equation from the centre on, with values that no solution has; the twin's values one has."""
    order, length, tol = draw.one_of((0, 0, 1, 2)), draw.between(1, 8), _tol(draw)
    u = sp.Function("u")(_X)
    off = draw.log_between(1e-3, 1)
    if abs(jv(order, length)) < 0.05:
        length += 0.5
    equation = sp.Eq(_X**2 * u.diff(_X, 2) + _X * u.diff(_X) + (_X**2 - order**2) * u, 0)
    values = float(order == 0), float(jv(order, length))

    def stated(first: float, last: float) -> fs.Problem:
        conditions = [fs.Dirichlet(first, on="x-"), fs.Dirichlet(last, on="x+")]
        return fs.Problem(equation, fs.Interval(0, length), conditions)

    def wrong() -> fs.Problem:
        return stated(values[0], values[1] + off) if order == 0 else stated(off, values[1])

    kind = f"Bessel's equation of order {order} with values {'of no' if deceptive else 'of a'} solution"
    return Challenge(
        kind,
        stated(*values),
        _of_x(lambda x: jv(order, x)),
        tol,
        determined=not deceptive,
        stated_wrong=wrong if deceptive else None,
    )


# class b


def _zero(draw: Draw, length: float, deceptive: bool) -> tuple[sp.Expr, str]:
    """A function with one simple zero in the interval, or with none."""
    c = draw.between(0.2, 0.8) * length if deceptive else -draw.between(0.4, 1) * length
    curved = draw.between(0.3, 1.2) / length
    shapes = (_X - c, sp.sinh(curved * (_X - c)), (_X - c) * sp.exp(curved * _X), sp.tanh(curved * (_X - c)))
    return draw.one_of(shapes), f"x = {c:.3g}"


def _first_order(draw: Draw, deceptive: bool) -> Challenge:
    """``a u' = m a' u + f``: any multiple of ``|a|^m`` on either side of the zero of a."""
    length, m, tol = draw.log_between(0.5, 3), draw.between(1, 3.5), _tol(draw)
    a, place = _zero(draw, length, deceptive)
    w = _smooth(draw, length)
    stating = Stating((_X,), draw.chance(0.3))
    u = sp.Function("u")(_X)
    lead, damping = stating.inside("a", a), stating.inside("b", m * a.diff(_X))
    equation = sp.Eq(lead * u.diff(_X) - damping * u, a * w.diff(_X) - m * a.diff(_X) * w)
    conditions = [fs.Dirichlet(w, on=draw.one_of(("x-", "x+")))]
    problem = fs.Problem(equation, fs.Interval(0, length), conditions, given=stating.given)
    kind = f"first order, a zero {'inside' if deceptive else 'outside'} at {place}"
    stated = "callable" if stating.given else "expression"
    return Challenge(kind, problem, as_callable(w, (_X,)), tol, stated=stated, determined=not deceptive)


def _second_order(draw: Draw, deceptive: bool) -> Challenge:
    """``a u'' = m a' u' + f``; a twin may have the zero inside too, with m negative: then smooth ones are all."""
    length, m, tol = draw.log_between(0.5, 3), draw.between(0.3, 3.5), _tol(draw)
    inside = draw.chance(0.3)
    a, place = _zero(draw, length, deceptive or inside)
    m = -m - 1 if inside and not deceptive else m
    w = _smooth(draw, length)
    stating = Stating((_X,), draw.chance(0.3))
    u = sp.Function("u")(_X)
    lead, drift = stating.inside("a", a), stating.inside("b", m * a.diff(_X))
    equation = sp.Eq(lead * u.diff(_X, 2) - drift * u.diff(_X), a * w.diff(_X, 2) - m * a.diff(_X) * w.diff(_X))
    problem = fs.Problem(equation, fs.Interval(0, length), [fs.Dirichlet(w)], given=stating.given)
    where = "inside" if deceptive else "inside, with a single solution," if inside else "outside"
    stated = "callable" if stating.given else "expression"
    kind = f"second order, a zero {where} at {place}"
    return Challenge(kind, problem, as_callable(w, (_X,)), tol, stated=stated, determined=not deceptive)


def _system(draw: Draw, deceptive: bool) -> Challenge:
    """``a u' = m a' u + v``, ``v' = p u + q v + f``, both from one end."""
    length, m, tol = draw.log_between(0.5, 2), draw.between(1, 3.5), _tol(draw)
    a, place = _zero(draw, length, deceptive)
    w, z = _smooth(draw, length), _smooth(draw, length)
    p, q = draw.between(-1, 1), draw.between(-1, 1)
    u, v = sp.Function("u")(_X), sp.Function("v")(_X)
    first = sp.Eq(a * u.diff(_X) - m * a.diff(_X) * u - v, a * w.diff(_X) - m * a.diff(_X) * w - z)
    second = sp.Eq(v.diff(_X) - p * u - q * v, z.diff(_X) - p * w - q * z)
    side = draw.one_of(("x-", "x+"))
    conditions = [fs.Dirichlet({u: w}, on=side), fs.Dirichlet({v: z}, on=side)]
    problem = fs.Problem([first, second], fs.Interval(0, length), conditions, unknowns=[u, v])
    exact = stacked([as_callable(w, (_X,)), as_callable(z, (_X,))])
    kind = f"a system, a zero {'inside' if deceptive else 'outside'} at {place}"
    return Challenge(kind, problem, exact, tol, determined=not deceptive)


def _plane(draw: Draw, deceptive: bool) -> Challenge:
    """``(x - c) lap u = m u_x + f`` on a rectangle, with values all round."""
    m, tol = draw.between(0.5, 3), _tol(draw)
    c = draw.between(0.25, 0.75) if deceptive else -draw.between(0.4, 1)
    u = sp.Function("u")(_X, _Y)
    w = _smooth(draw, 1.0) + sp.cos(draw.between(0.5, 2) * _Y + draw.phase()) * draw.between(0.2, 1)

    def applied(v: Any) -> Any:
        return (_X - c) * (v.diff(_X, 2) + v.diff(_Y, 2)) - m * v.diff(_X)

    problem = fs.Problem(sp.Eq(applied(u), applied(w)), fs.Box((0, 0), (1, 1)), [fs.Dirichlet(w)])
    kind = f"in the plane, a zero {'inside' if deceptive else 'outside'} at x = {c:.3g}"
    return Challenge(kind, problem, as_callable(w, (_X, _Y)), tol, determined=not deceptive)


# class c


def _seed(draw: Draw, foldings: float) -> float:
    """What is so small in the data that nobody sees it, and not so small at the other end."""
    return draw.log_between(0.01, 0.5) * math.exp(-foldings) * draw.one_of((-1, 1))


def _growing_first(draw: Draw, deceptive: bool) -> Challenge:
    """``u' = s (2 g x + h) u + f`` from the left; the twin has the sign that decays."""
    length, foldings, tol = draw.log_between(0.5, 3), draw.between(22, 31), _tol(draw)
    share = draw.between(0, 1)
    power = foldings * (share * (_X / length) ** 2 + (1 - share) * _X / length) * (1 if deceptive else -1)
    w, seed = _smooth(draw, length), _seed(draw, foldings)
    u = sp.Function("u")(_X)
    exact = w + seed * sp.exp(power)
    equation = sp.Eq(u.diff(_X) - power.diff(_X) * u, w.diff(_X) - power.diff(_X) * w)
    start = float(w.subs(_X, 0)) + seed
    problem = fs.Problem(equation, fs.Interval(0, length), [fs.Dirichlet(start, on="x-")])
    kind = f"first order, {'growing' if deceptive else 'decaying'} by {foldings:.0f} powers of e"
    return Challenge(kind, problem, as_callable(exact, (_X,)), tol)


def _growing_second(draw: Draw, deceptive: bool) -> Challenge:
    """``u'' = q u + f`` with q constant or growing, value and slope at the left; the twin has values at both ends."""
    length, foldings, tol = draw.log_between(0.5, 3), draw.between(22, 31), _tol(draw)
    w, seed = _smooth(draw, length), _seed(draw, foldings)
    u = sp.Function("u")(_X)
    if draw.chance(0.5):
        k = foldings / length
        q: Any = sp.Float(k**2)
        grown: Exact = _of_x(lambda x: seed * np.cosh(k * x))
        slope = 0.0
    else:  # Airy: Bi(g x), with 2/3 (g L)^(3/2) foldings
        g = (1.5 * foldings) ** (2 / 3) / length
        q = sp.Float(g**3) * _X
        grown = _of_x(lambda x: seed * airy(g * x)[2])
        slope = seed * g * float(airy(0)[3])
    smooth = as_callable(w, (_X,))
    ends = [np.array([[0.0]]), np.array([[length]])]
    values = [float((smooth(end) + grown(end))[0]) for end in ends]
    first = fs.Dirichlet(values[0], on="x-")
    condition = fs.Condition(sp.Eq(u.diff(_X), float(w.diff(_X).subs(_X, 0)) + slope), on="x-")
    second: Any = condition if deceptive else fs.Dirichlet(values[1], on="x+")
    equation = sp.Eq(u.diff(_X, 2) - q * u, w.diff(_X, 2) - q * w)
    problem = fs.Problem(equation, fs.Interval(0, length), [first, second])
    where = "one end" if deceptive else "both ends"
    return Challenge(f"second order from {where}, {foldings:.0f}", problem, lambda p: smooth(p) + grown(p), tol)


def _growing_system(draw: Draw, deceptive: bool) -> Challenge:
    """``u' = k v + f``, ``v' = k u + h``, both at the left; in the twin they turn round instead of growing."""
    length, foldings, tol = draw.log_between(0.5, 3), draw.between(22, 31), _tol(draw)
    k, sign = foldings / length, 1 if deceptive else -1
    w, z, seed = _smooth(draw, length), _smooth(draw, length), _seed(draw, foldings)
    u, v = sp.Function("u")(_X), sp.Function("v")(_X)
    even, odd = (sp.cosh, sp.sinh) if deceptive else (sp.cos, sp.sin)
    exact = w + seed * even(k * _X), z + sign * seed * odd(k * _X)
    first = sp.Eq(u.diff(_X) - k * v, w.diff(_X) - k * z)
    second = sp.Eq(v.diff(_X) - sign * k * u, z.diff(_X) - sign * k * w)
    starts = float(w.subs(_X, 0)) + seed, float(z.subs(_X, 0))
    conditions = [fs.Dirichlet({one: start}, on="x-") for one, start in zip((u, v), starts, strict=True)]
    problem = fs.Problem([first, second], fs.Interval(0, length), conditions, unknowns=[u, v])
    kind = f"a system, {'growing' if deceptive else 'turning'}, {foldings:.0f}"
    return Challenge(kind, problem, stacked([as_callable(one, (_X,)) for one in exact]), tol)


def _growing_plane(draw: Draw, deceptive: bool) -> Challenge:
    """``u_x + b u_y = s g u + f`` with values where it comes in."""
    foldings, b, tol = draw.between(22, 31), draw.between(0.1, 0.6), _tol(draw)
    rate = foldings if deceptive else -foldings
    u = sp.Function("u")(_X, _Y)
    w = _smooth(draw, 1.0) + sp.cos(draw.between(0.5, 2) * _Y + draw.phase()) * draw.between(0.2, 1)
    seed = _seed(draw, foldings) * sp.cos(draw.between(0.5, 2) * (_Y - b * _X))
    exact = w + seed * sp.exp(rate * _X)

    def applied(v: Any) -> Any:
        return v.diff(_X) + b * v.diff(_Y) - rate * v

    values = as_callable(exact, (_X, _Y))
    conditions = [fs.Dirichlet(exact, on=["x-", "y-"])]
    problem = fs.Problem(sp.Eq(applied(u), applied(w)), fs.Box((0, 0), (1, 1)), conditions)
    return Challenge(f"in the plane, {'growing' if deceptive else 'decaying'}, {foldings:.0f}", problem, values, tol)
