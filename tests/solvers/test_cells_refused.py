"""What cells are not made for, and budgets that are too small for them: refused at once, with numbers."""

from __future__ import annotations

import pytest
import sympy as sp

import fspielm as fs

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)


def laplace(domain: fs.Domain) -> fs.Problem:
    return fs.Problem(u.diff(x, 2) + u.diff(y, 2), domain, [fs.Dirichlet(x)])


WAVES = fs.Problem(u.diff(x, 2) + u.diff(y, 2) + 4e4 * u, fs.Box((0, 0), (3, 3)), [fs.Dirichlet(1)])


def test_a_domain_thinner_than_any_cell() -> None:
    with pytest.raises(fs.ProblemError, match=r"1.0e-08 thin.*extent of 2.*cells"):
        fs.solve(laplace(fs.Box((0, 0), (2, 1e-8))), approach="patches")


def test_a_region_thinner_than_any_cell() -> None:
    shapes = {"left": ((0, 0), (1, 1)), "film": ((1, 0), (1 + 1e-7, 1)), "right": ((1 + 1e-7, 0), (2, 1))}
    domain = fs.Regions(**{name: fs.Box(*corners) for name, corners in shapes.items()})
    with pytest.raises(fs.ProblemError, match=r"'film'.*1.0e-07 thin.*Interface\(jump"):
        fs.solve(laplace(domain), approach="patches")


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("budget", "error", "message"),
    [
        (fs.Budget(seconds=0.3), fs.ProblemError, r"budget of 0.3 s.*cells with.*unknowns"),
        (fs.Budget(memory=1e6), fs.MemoryBudgetError, r"at least.*cells.*1.0 MiB"),
        (fs.Budget(neurons=20), fs.ProblemError, r"budget of 20 functions.*cells with"),
    ],
)
def test_a_budget_too_small_for_the_first_cells(budget: fs.Budget, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        fs.solve(WAVES, approach="patches", budget=budget)


def test_rounds_and_budgets_speak_of_cells() -> None:
    told: list[object] = []
    problem = fs.Problem(u.diff(x, 2) + u.diff(y, 2), fs.Disk((0, 0), 1), [fs.Dirichlet(sp.exp(4 * x) * sp.cos(4 * y))])
    with pytest.warns(fs.AccuracyWarning, match=r"900 functions ended.*cells with"):
        solution = fs.solve(problem, approach="patches", budget=fs.Budget(neurons=900), progress=told.append)
    (done,) = solution.report.rounds
    assert str(told[-1]).startswith(f"round 1: {done.cells} cells with {done.neurons} unknowns, {done.rows} rows")
    assert str(done) in str(solution.report)
    assert fs.Round(1, "", 400, 900, (1.0,), 1e-9, 1.0, 0.1).size == "400 functions"
