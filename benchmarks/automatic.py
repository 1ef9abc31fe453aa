"""What the automatic solver promises on the seven benchmarks, one line per case with the ratios asked for.

    python benchmarks/automatic.py default            # default settings against one QR of 9600 x 5000
    python benchmarks/automatic.py tight              # tol=1e-12, three seeds, against FS-PIELM-L by SVD
    python benchmarks/automatic.py seeds              # spread of the errors over twenty seeds
    python benchmarks/automatic.py prepare            # ten further right-hand sides against one full solve

Every ratio compares two things measured in the same run. Errors are relative L2 over the whole domain, time
included. `--cases` limits the cases, `--neurons` shrinks what they are compared with, for a quick look.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import sympy as sp

import fspielm as fs
from fspielm.collocation import Householder
from fspielm.expr import make_field
from fspielm.paper.cases import Case

PANDA = "helmholtz-panda-0.45"
CASES = [*fs.cases.names(), PANDA]
NEURONS = 5000
_FLOOR = 1e-13
_SEEDS = 3
_FURTHER = 10


def main() -> None:
    """Read the command and run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("default", "tight", "seeds", "prepare"))
    parser.add_argument("--cases", nargs="+", choices=CASES)
    parser.add_argument("--neurons", type=int, default=NEURONS, help="of the QR or SVD to compare with")
    parser.add_argument("--seeds", type=int, default=20, help="how many, for the command seeds")
    parser.add_argument("--seed", type=int, default=0, help="of the commands default and prepare")
    options = parser.parse_args()
    warnings.simplefilter("ignore", fs.AccuracyWarning)
    fs.solve(load("poisson-1d").problem, rng=0)  # warm up
    match options.command:
        case "default":
            default(options.cases or CASES, options.neurons, options.seed)
        case "tight":
            tight(options.cases or fs.cases.names(), options.neurons)
        case "seeds":
            seeds(options.cases or ["helmholtz-2d", "helmholtz-panda"], options.seeds)
        case _:
            prepare(options.cases or CASES, options.seed)


def load(name: str) -> Case:
    """A case by its name here."""
    return fs.cases.load("helmholtz-panda", radius=0.45) if name == PANDA else fs.cases.load(name)


def timed(step: Callable[[], Any]) -> tuple[Any, float]:
    """The result of `step` and the seconds it took."""
    start = perf_counter()
    result = step()
    return result, perf_counter() - start


def default(names: list[str], neurons: int, seed: int) -> None:
    """Point 1: error, estimate, verdict, and time in units of one QR factorisation."""
    unit = qr_seconds(neurons)
    print(f"one QR factorisation of {_rows(neurons)} x {neurons}: {unit:.2f} s")
    print(f"{'case':<27} {'error':>8} {'estimate':>8} {'ratio':>6} converged {'neurons':>7} rounds {'s':>6} s/QR")
    for name in names:
        case = load(name)
        solution, seconds = timed(lambda case=case: fs.solve(case.problem, rng=seed))
        error, estimate = case.space_time_error(solution), solution.error_estimate
        ratio = estimate / max(error, _FLOOR)
        met = (
            error <= 1e-8
            and solution.converged
            and error <= estimate <= 1000 * max(error, _FLOOR)
            and seconds <= 2 * unit
        )
        print(
            f"{name:<27} {error:8.1e} {estimate:8.1e} {ratio:6.1f} {solution.converged!s:<9} "
            f"{solution.report.neurons:7d} {len(solution.report.rounds):6d} {seconds:6.2f} {seconds / unit:4.2f} "
            f"{_mark(met)}",
            flush=True,
        )


def tight(names: list[str], neurons: int) -> None:
    """Point 2: the best there is, against the published recipe."""
    print(f"{'case':<27} {'error':>8} {'estimate':>8} {'s':>6}  FS-L: {'error':>8} {'s':>7}  ratio of s")
    for name in names:
        case = load(name)
        runs = [
            timed(lambda case=case, seed=seed: fs.solve(case.problem, tol=1e-12, rng=seed)) for seed in range(_SEEDS)
        ]
        error = median(case.space_time_error(solution) for solution, _ in runs)
        estimate = median(solution.error_estimate for solution, _ in runs)
        seconds = median(spent for _, spent in runs)
        settings = case.paper.settings("fs-l")
        if neurons < case.paper.neurons:
            settings["features"] = case.paper.features("fs-l", neurons=neurons)
        published, spent = timed(lambda case=case, settings=settings: fs.solve(case.problem, **settings, rng=0))
        pacman = name == "advection-diffusion-pacman"
        quick = seconds <= spent / (3 if pacman else 4) if case.paper.neurons == NEURONS else seconds < 3
        print(
            f"{name:<27} {error:8.1e} {estimate:8.1e} {seconds:6.2f}  {'':5} "
            f"{case.space_time_error(published):8.1e} {spent:7.2f}  {seconds / spent:.3f} "
            f"{_mark(error <= (1e-10 if pacman else 1e-11) and quick)}",
            flush=True,
        )


def seeds(names: list[str], count: int) -> None:
    """Point 5: how much luck there is."""
    print(f"{'case':<27} seeds {'least':>8} {'median':>8} {'largest':>8} spread converged")
    for name in names:
        case = load(name)
        solutions = [fs.solve(case.problem, rng=seed) for seed in range(count)]
        errors = np.array([case.space_time_error(solution) for solution in solutions])
        spread = errors.max() / errors.min()
        print(
            f"{name:<27} {count:5d} {errors.min():8.1e} {np.median(errors):8.1e} {errors.max():8.1e} {spread:6.1f} "
            f"{sum(solution.converged for solution in solutions)} {_mark(spread < 100)}",
            flush=True,
        )


def prepare(names: list[str], seed: int) -> None:
    """Point 7: ten further right-hand sides through a plan, as expressions and as functions, against one solve."""
    print(f"{'case':<27} {'full s':>6} {'expressions s':>13} ratio {'functions s':>11} ratio {'error':>8} {'alone':>8}")
    for name in names:
        case = load(name)
        plan = fs.prepare(case.problem, rng=seed)
        _, full = timed(lambda case=case: fs.solve(case.problem, rng=seed))
        spent, errors = np.zeros(2), []
        for index in range(_FURTHER):
            exact = shrunk(case, index)
            data = further_data(case, exact)
            for kind, given in enumerate((data, as_functions(case, data))):
                solution, seconds = timed(lambda plan=plan, given=given: plan.solve(**given))
                spent[kind] += seconds
            errors.append(_error(case, exact, solution))
        exact = shrunk(case, 0)
        alone = _error(case, exact, fs.solve(plan.solve(**further_data(case, exact)).problem, rng=seed))
        print(
            f"{name:<27} {full:6.2f} {spent[0]:13.2f} {spent[0] / full:5.2f} {spent[1]:11.2f} {spent[1] / full:5.2f} "
            f"{max(errors):8.1e} {alone:8.1e} {_mark(bool(spent[0] < full and max(errors) <= max(1e-8, 10 * alone)))}",
            flush=True,
        )


def shrunk(case: Case, index: int) -> sp.Expr:
    """Another solution in the same band: the case's own, stretched about the middle of the domain."""
    lower, upper = case.problem.domain.bounding_box
    stretch = sp.Rational(19 - index, 20)
    middle = [sp.Float(value) for value in 0.5 * (lower + upper)]
    pairs = {v: m + stretch * (v - m) for v, m in zip(case.problem.coordinates, middle, strict=True) if str(v) != "t"}
    exact: sp.Expr = case.exact.subs(pairs, simultaneous=True)
    return exact


def further_data(case: Case, exact: sp.Expr) -> dict[str, Any]:
    """Right-hand side and values for which `exact` is the solution."""
    problem = case.problem
    rate = exact.diff(problem.coordinates[-1])
    values = {}
    for constraint in problem.constraints:
        condition = constraint.condition
        velocity = isinstance(condition, fs.Initial) and condition.order == 1
        values[constraint.name] = rate if velocity else exact
    source = sum(
        sp.sympify(term.coefficient) * sp.diff(exact, *zip(problem.coordinates, term.orders, strict=True))
        for term in problem.operator.terms
    )
    return {"right_hand_side": source, "values": values}


def as_functions(case: Case, data: dict[str, Any]) -> dict[str, Any]:
    """The same data, compiled beforehand."""

    def compiled(expression: sp.Expr) -> Callable[[Any], Any]:
        field = make_field(expression, case.problem.coordinates)
        return lambda points: field(points)

    values = {name: compiled(value) for name, value in data["values"].items()}
    return {"right_hand_side": compiled(data["right_hand_side"]), "values": values}


def qr_seconds(neurons: int) -> float:
    """The better of two Householder factorisations, nothing formed but R."""
    rng = np.random.default_rng(0)
    best = np.inf
    for _ in range(2):
        matrix = np.asfortranarray(rng.standard_normal((_rows(neurons), neurons)))
        best = min(best, timed(lambda matrix=matrix: Householder.of_matrix(matrix))[1])
    return float(best)


def _rows(neurons: int) -> int:
    return 9600 * neurons // NEURONS


def _error(case: Case, exact: sp.Expr, solution: fs.Solution) -> float:
    domain = case.problem.domain
    points = domain.sample(10_000, np.random.default_rng(0))
    values = make_field(exact, case.problem.coordinates)(points)
    return float(np.linalg.norm(solution(points) - values) / np.linalg.norm(values))


def _mark(met: bool) -> str:
    return "met" if met else "NOT MET"


if __name__ == "__main__":
    main()
