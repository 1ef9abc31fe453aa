"""What is solved: the seven cases, the paper's methods on them, the problems of the documentation, random ones."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from problems import EXAMPLES
from random_families import make_problem

import fspielm as fs
from fspielm.paper.cases import METHODS, SPACE_METHODS, make_features
from same_bits.quick import BUDGET, QUICK, Solutions, solved

# Of the families of random problems: all kinds of equations, domains and budgets are among them.
_SEEDS = {
    "calibration": (0, 1, 4, 9, 10, 22),
    "test": (3, 9, 12, 13, 16, 23),
    "stages": (1, 3, 4, 7, 8, 14, 16, 21),
}
# The paper's methods with so many neurons, and points to match.
_NEURONS = 500


def _case(name: str) -> Solutions:
    return {"": solved(fs.cases.load(name).problem)}


def _paper(name: str, method: str, by: str) -> Solutions:
    """A method of the paper, of less than its size: as it stands there, or by QR on points of our own."""
    case = fs.cases.load(name)
    paper = case.paper
    neurons = min(_NEURONS, paper.neurons)
    mu = paper.results[method.removesuffix("-space")].mu
    features = make_features(method, neurons, mu, groups=paper.groups)
    if by == "QR":
        return {"": solved(case.problem, features=features, least_squares=fs.QR())}
    counts = {name: getattr(paper.points, name) for name in ("interior", "boundary", "boundary_total", "initial")}
    points = fs.Points(**{name: max(n * neurons // paper.neurons, 1) for name, n in counts.items() if n is not None})
    svd = fs.TruncatedSVD(paper.svd_tolerance)
    return {"": solved(case.problem, features=features, points=points, least_squares=svd, scaling="none")}


def _example(name: str) -> Solutions:
    made = EXAMPLES[name][1]()
    return {"": solved(made.problem, tol=made.tol)}


def _random(family: str, seed: int) -> Solutions:
    """As they are solved there: with ample neurons, and if it is to be a share of these, with that as well."""
    random = make_problem(seed, family)

    def within(neurons: int) -> fs.Solution:
        return solved(random.problem, tol=random.tol, budget=replace(BUDGET, neurons=neurons))

    ample = {"": within(random.most)}
    if random.share is None:
        return ample
    return ample | {"too few": within(max(int(random.share * ample[""].report.neurons), 8))}


def _kind(approach: Any) -> Solutions:
    """One problem that every kind of features suits."""
    problem = fs.cases.load("helmholtz-panda").problem
    source = problem.equation.rhs if approach != "characteristic" else 0
    stated = fs.Problem(problem.equation.func(problem.equation.lhs, source), problem.domain, problem.conditions)
    return {"": solved(stated, approach=approach, tol=1e-6, budget=replace(BUDGET, neurons=2500))}


def _limited(**limits: Any) -> Solutions:
    """A case within a budget that is too small for it."""
    return {"": solved(fs.cases.load("klein-gordon").problem, budget=replace(BUDGET, **limits))}


def _further_data() -> Solutions:
    """A plan of a filled band, with other right-hand sides and values."""
    made = EXAMPLES["clamped plate"][1]()
    plan = fs.prepare(made.problem, rng=7, budget=BUDGET)
    x, y = made.problem.coordinates
    return {
        "as prepared": plan.solution,
        "a number": plan.solve(right_hand_side=1, values={"dirichlet": 0, "neumann": 0}),
        "an expression": plan.solve(right_hand_side=x * y),
        "a function": plan.solve(values={"dirichlet x-": lambda points: np.sin(points[:, 1])}),
    }


def _saved() -> Solutions:
    """What comes back from a file, with its estimate."""
    solution = QUICK["jump"]()[""]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "it.fspielm"
        solution.save(path)
        return {"as solved": solution, "as loaded": fs.load(path)}


SOLVES: Mapping[str, Callable[[], Solutions]] = {
    **{f"case {name}": partial(_case, name) for name in fs.cases.names()},
    **{f"quick {name}": make for name, make in QUICK.items()},
    **{
        f"paper {name} {method} by {by}": partial(_paper, name, method, by)
        for name in fs.cases.names()
        for method in (*METHODS, *(SPACE_METHODS if name == "heat" else ()))
        for by in ("SVD", "QR")
    },
    **{f"problem {name}": partial(_example, name) for name in EXAMPLES},
    **{f"random {family} {seed}": partial(_random, family, seed) for family, seeds in _SEEDS.items() for seed in seeds},
    **{f"approach {approach}": partial(_kind, approach) for approach in ("characteristic", "thin", "band")},
    "budget of neurons": partial(_limited, neurons=900),
    "budget of memory": partial(_limited, memory=3e7),
    "prepare": _further_data,
    "saved": _saved,
}
