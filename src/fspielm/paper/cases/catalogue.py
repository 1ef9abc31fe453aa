"""The seven benchmarks of the FS-PIELM paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from fspielm.errors import ProblemError
from fspielm.geometry.domain import Domain
from fspielm.geometry.shapes.box import Box, Interval
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda
from fspielm.geometry.time import Time
from fspielm.paper.cases.case import Case, paper_setting
from fspielm.problem.problem import Problem
from fspielm.problem.statement import AnyCondition, Dirichlet, Initial
from fspielm.wording import did_you_mean


def names() -> list[str]:
    """The names of the benchmarks, in the paper's order."""
    return list(_CASES)


def load(name: str, **parameters: Any) -> Case:
    """Build the benchmark called `name`; ``helmholtz-panda`` takes a `radius`."""
    if name not in _CASES:
        raise ProblemError(f"unknown case {name!r}; the cases are {', '.join(_CASES)}{did_you_mean(name, _CASES)}")
    return _CASES[name](**parameters)


def helmholtz_2d() -> Case:
    """Two-dimensional Helmholtz equation with wavenumber 24 pi and homogeneous Dirichlet data."""
    x, y = sp.symbols("x y")
    kappa = 24 * sp.pi
    exact = sp.sin(kappa * x) * sp.sin(kappa * y)

    def operator(v: sp.Expr) -> sp.Expr:
        return -v.diff(x, 2) - v.diff(y, 2) - kappa**2 * v

    title = "Helmholtz equation, wavenumber 24 pi"
    return _manufactured("helmholtz-2d", title, (x, y), operator, exact, Box((0, 0), (1, 1)), [Dirichlet(0)])


def wave_1d() -> Case:
    """One-dimensional wave equation, chirped: spatial frequency from 2 pi to 16 pi over the unit of time."""
    x, t = sp.symbols("x t")
    exact = sp.sin((2 * sp.pi + 14 * sp.pi * t) * x) * sp.cos(10 * sp.pi * t)

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(t, 2) - v.diff(x, 2)

    return _driven("wave-1d", "Chirped wave, spatial frequency 2 pi to 16 pi", operator, exact)


def poisson_1d() -> Case:
    """One-dimensional Poisson equation with frequencies 5 pi and 75 pi."""
    x = sp.Symbol("x")
    u = sp.Function("u")(x)
    exact = sp.sin(5 * sp.pi * x) + sp.Rational(1, 5) * sp.sin(75 * sp.pi * x)
    return Case(
        name="poisson-1d",
        title="Multi-scale Poisson equation, frequencies 5 pi and 75 pi",
        problem=Problem(sp.Eq(u.diff(x, 2), exact.diff(x, 2)), domain=Interval(0, 1), conditions=[Dirichlet(0)]),
        exact=exact,
        paper=paper_setting("poisson-1d"),
        notes="The paper's 100 x 100 grid does not fit one dimension; the error is measured on 10,000 points.",
    )


def klein_gordon() -> Case:
    """Klein-Gordon equation whose solution joins two oscillations and a bilinear trend."""
    x, t = sp.symbols("x t")
    pi = sp.pi
    exact = x * sp.sin(3 * pi * x) * sp.cos(7 * pi * t) + t * sp.sin(19 * pi * x) * sp.cos(19 * pi * t) + x * t

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(t, 2) - v.diff(x, 2) + v

    return _driven("klein-gordon", "Klein-Gordon equation, frequencies 3 pi, 7 pi and 19 pi", operator, exact)


def heat() -> Case:
    """Heat equation on [-1, 1] with modes 5 pi, 10 pi and 20 pi."""
    x, t = sp.symbols("x t")
    u = sp.Function("u")(x, t)
    alpha = 1 / (20 * sp.pi) ** 2
    exact = sum(
        amplitude * sp.exp(-alpha * (mode * sp.pi) ** 2 * t) * sp.sin(mode * sp.pi * x)
        for amplitude, mode in ((sp.S.One, 5), (sp.Rational(1, 2), 10), (sp.Rational(1, 5), 20))
    )
    return Case(
        name="heat",
        title="Heat equation, modes 5 pi, 10 pi and 20 pi",
        problem=Problem(
            sp.Eq(u.diff(t) - alpha * u.diff(x, 2), 0),
            domain=Interval(-1, 1) * Time(0, 1),
            conditions=[Dirichlet(0), Initial(exact.subs(t, 0))],
        ),
        exact=exact,
        paper=paper_setting("heat"),
        notes="Shifted in all directions as the text says, 1200 neurons cannot reach the printed error; "
        'FrequencyShift(..., shift="space") shifts the space part alone and does.',
    )


def advection_diffusion_pacman() -> Case:
    """Advection-diffusion on the Pacman domain, frequencies 3 pi and 10 pi, decaying in time."""
    x, y, t = sp.symbols("x y t")
    exact = sp.exp(-sp.Rational(2, 5) * t) * sp.sin(3 * sp.pi * x) * sp.sin(10 * sp.pi * y)

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(t) + 4 * v.diff(x) + 4 * v.diff(y) - v.diff(x, 2) - v.diff(y, 2)

    return _manufactured(
        "advection-diffusion-pacman",
        "Advection-diffusion on a Pacman, frequencies 3 pi and 10 pi",
        (x, y, t),
        operator,
        exact,
        Pacman() * Time(0, 1),
        [Dirichlet(exact), Initial(exact.subs(t, 0))],
        notes="The paper's 100 x 100 grid is a time slice; t = 0.5 matches its printed error. The error over "
        "all of space and time is reported beside it.",
        time_slice=0.5,
    )


def helmholtz_panda(radius: float = 0.25) -> Case:
    """Helmholtz equation on the Panda with four frequencies from 4 pi to 30 pi.

    Parameters
    ----------
    radius : float
        Mean radius of the head; larger pandas are harder.
    """
    x, y = sp.symbols("x y")
    pi = sp.pi
    exact = sp.sin(pi * x) * sp.cos(5 * pi * x) + sp.sin(10 * pi * x) * sp.cos(20 * pi * x) / 2

    def operator(v: sp.Expr) -> sp.Expr:
        return v.diff(x, 2) + v.diff(y, 2) + v

    return _manufactured(
        "helmholtz-panda",
        "Helmholtz equation on a Panda, frequencies 4 pi to 30 pi",
        (x, y),
        operator,
        exact,
        Panda(radius),
        [Dirichlet(exact)],
        notes="The paper does not give the outline; this one is our own, and its size decides the error.",
    )


def _driven(name: str, title: str, operator: Callable[[sp.Expr], sp.Expr], exact: sp.Expr) -> Case:
    """A case of second order in x and t, on the unit interval and the unit of time, with the data of `exact`."""
    x, t = sp.symbols("x t")
    ends = [Dirichlet(exact.subs(x, 0), on="x-"), Dirichlet(exact.subs(x, 1), on="x+")]
    start = [Initial(exact.subs(t, 0)), Initial(exact.diff(t).subs(t, 0), order=1)]
    notes = (
        "The paper writes one function g(t) for both ends, which the exact solution does not satisfy; "
        "each end has its own trace here."
    )
    return _manufactured(name, title, (x, t), operator, exact, Interval(0, 1) * Time(0, 1), [*ends, *start], notes)


def _manufactured(
    name: str,
    title: str,
    coordinates: tuple[sp.Symbol, ...],
    operator: Callable[[sp.Expr], sp.Expr],
    exact: sp.Expr,
    domain: Domain,
    conditions: list[AnyCondition],
    notes: str = "",
    time_slice: float | None = None,
) -> Case:
    """The case whose right-hand side is the operator of the exact solution."""
    equation = sp.Eq(operator(sp.Function("u")(*coordinates)), operator(exact))
    return Case(name, title, Problem(equation, domain, conditions), exact, paper_setting(name), notes, time_slice)


_CASES: dict[str, Callable[..., Case]] = {
    "helmholtz-2d": helmholtz_2d,
    "wave-1d": wave_1d,
    "poisson-1d": poisson_1d,
    "klein-gordon": klein_gordon,
    "heat": heat,
    "advection-diffusion-pacman": advection_diffusion_pacman,
    "helmholtz-panda": helmholtz_panda,
}
