"""Constant data, of which the spectrum says nothing: what the choice of features costs beside each kind by hand."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import partial, reduce
from time import perf_counter
from typing import Any, cast

import sympy as sp
from problems import laplacian, t, unknown, x, y, z

import fspielm as fs
from fspielm.geometry import Domain

COLUMNS = ("problem", "approach", "seed", "status", "message", "converged", "estimate", "seconds", "neurons", "rounds")
APPROACHES = ("default", "characteristic", "thin", "band")
# No kind by hand gets more: it would only say once more that it does not suit.
_PATIENCE = 100.0

_SQUARE = fs.Box((0, 0), (1, 1))
_HOLE = fs.Disk((0.3, 0.6), 0.1, name="hole")
_FIVE = [fs.Disk((0.6 * math.cos(a), 0.6 * math.sin(a)), 0.1, name=f"hole {a}") for a in range(5)]
_PIERCED = reduce(lambda whole, hole: whole - hole, _FIVE, cast("Domain", fs.Disk((0, 0), 1)))
_NOTCHED = fs.LShape() - fs.Disk((-0.5, 0.5), 0.2, name="hole")
_FAR = fs.Disk((0.75, 0.3), 0.12, name="far hole")


def _steady(domain: Domain, values: dict[str, float], square: float = 0.0) -> fs.Problem:
    """Laplace's (0), Helmholtz' (positive) or the screened (negative) equation; constants on the parts named so."""
    space = (x, y, z)[: domain.dimension]
    u = unknown(*space)
    names = [part.name for part in domain.boundary([str(s) for s in space])]
    known = {name: next((v for key, v in values.items() if name.startswith(key)), 0.0) for name in names}
    conditions = [fs.Dirichlet(value, on=name) for name, value in known.items()]
    return fs.Problem(sp.Eq(laplacian(u, *space) + square * u, 0), domain, conditions)


def _load(domain: Domain, square: float = 0.0) -> fs.Problem:
    """A constant right-hand side, and zero all around."""
    space = (x, y, z)[: domain.dimension]
    u = unknown(*space)
    return fs.Problem(sp.Eq(-laplacian(u, *space) + square * u, 1), domain, [fs.Dirichlet(0)])


def _heat(space: Domain) -> fs.Problem:
    """Warm all over to begin with, and kept so outside: nothing happens, which nobody knows before."""
    symbols = (x, y)[: space.dimension]
    u = unknown(*symbols, t)
    equation = sp.Eq(u.diff(t) - laplacian(u, *symbols), 0)
    return fs.Problem(equation, space * fs.Time(0, 1), [fs.Dirichlet(1), fs.Initial(1)])


def _robin(domain: Domain) -> fs.Problem:
    """A wall that loses heat to air of a constant temperature, around a pipe of another."""
    u = unknown(x, y)
    conditions = [fs.Dirichlet(1, on="hole.circle"), fs.Robin(3, 1, 0.6, on=["x-", "x+", "y-", "y+"])]
    return fs.Problem(sp.Eq(laplacian(u, x, y), 0), domain, conditions)


CONSTANT: dict[str, Callable[[], fs.Problem]] = {
    "Laplace, annulus": partial(_steady, fs.Annulus((0, 0), 0.4, 1), {"inner": 1.0}),
    "Laplace, thin annulus": partial(_steady, fs.Annulus((0, 0), 0.9, 1), {"inner": 1.0}),
    "Laplace, box with a hole": partial(_steady, _SQUARE - _HOLE, {"hole": 1.0}),
    "Laplace, box with two holes": partial(_steady, _SQUARE - _HOLE - _FAR, {"hole": 1.0, "far": -1.0}),
    "Laplace, disk with five holes": partial(_steady, _PIERCED, {"hole": 1.0}),
    "Laplace, L-shape with a hole": partial(_steady, _NOTCHED, {"hole": 1.0}),
    "Laplace, box around a ball": partial(
        _steady, fs.Box((-1, -1, -1), (1, 1, 1)) - fs.Ball((0, 0, 0), 0.5, name="hole"), {"hole": 1.0}
    ),
    "Laplace, losing heat around a pipe": partial(_robin, _SQUARE - _HOLE),
    "Helmholtz 10, annulus": partial(_steady, fs.Annulus((0, 0), 0.4, 1), {"inner": 1.0}, 100.0),
    "Helmholtz 30, box with a hole": partial(_steady, _SQUARE - _HOLE, {"hole": 1.0}, 900.0),
    "Helmholtz 20, disk": partial(_steady, fs.Disk((0, 0), 1), {"circle": 1.0}, 400.0),
    "Helmholtz 20, Panda": partial(_steady, fs.Panda(1.0), {"": 1.0}, 400.0),
    "Helmholtz 60, Panda": partial(_steady, fs.Panda(1.0), {"": 1.0}, 3600.0),
    "Helmholtz 10, ball": partial(_steady, fs.Ball((0, 0, 0), 1), {"": 1.0}, 100.0),
    "screened 20, box with a hole": partial(_steady, _SQUARE - _HOLE, {"hole": 1.0}, -400.0),
    "screened 20, disk": partial(_steady, fs.Disk((0, 0), 1), {"circle": 1.0}, -400.0),
    "Poisson, constant load, disk": partial(_load, fs.Disk((0, 0), 1)),
    "screened 10, constant load, annulus": partial(_load, fs.Annulus((0, 0), 0.4, 1), 100.0),
    "heat, nothing happens, interval": partial(_heat, fs.Interval(0, 1)),
    "heat, nothing happens, disk": partial(_heat, fs.Disk((0, 0), 1)),
}


def perform(task: tuple[str, int]) -> list[dict[str, Any]]:
    """Solve one problem by default and by every approach, in this process."""
    name, seed = task
    problem = CONSTANT[name]()
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    fs.solve(_steady(fs.Interval(0, 1), {"x+": 1.0}), rng=0)  # warm up
    return [_measure(problem, approach, seed) for approach in APPROACHES]


def _measure(problem: fs.Problem, approach: Any, seed: int) -> dict[str, Any]:
    by_hand: dict[str, Any] = {"approach": approach, "budget": fs.Budget(seconds=_PATIENCE)}
    begun = perf_counter()
    try:
        solution = fs.solve(problem, rng=seed, **({} if approach == "default" else by_hand))
    except fs.ProblemError as error:  # a kind that does not suit
        found = {"status": "refused", "message": " ".join(str(error).split())}
    except Exception as error:
        found = {"status": "exception", "message": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    else:
        report = solution.report
        found = {"status": "ok", "message": report.choice, "converged": solution.converged}
        found |= {"estimate": f"{solution.error_estimate:.3e}", "neurons": report.neurons, "rounds": len(report.rounds)}
    return found | {"approach": approach, "seconds": f"{perf_counter() - begun:.3f}"}
