"""A solve that would not fit is refused before anything is allocated."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.collocation.system import check_memory
from fspielm.solvers import request as budget_module

GIB = 2**30


def test_counts_the_matrix_and_its_workspace() -> None:
    # the values are one more column
    assert check_memory(1000, 500, 77, 1e12) == 8 * 1000 * 501 + 77
    assert check_memory(10, 10, 0, 880) == 880
    with pytest.raises(fs.MemoryBudgetError):
        check_memory(10, 10, 0, 879)


def test_refuses_above_the_limit_with_sizes_and_remedy() -> None:
    sizes, remedy = r"5000 functions.*9600 rows.*0\.72 GiB.*budget of 0\.50 GiB", r"fs\.Budget\(memory="
    with pytest.raises(fs.MemoryBudgetError, match=f"{sizes}.*{remedy}"):
        check_memory(9600, 5000, 8 * 9600 * 5000, GIB / 2)


def test_small_sizes_are_told_in_mebibytes() -> None:
    with pytest.raises(fs.MemoryBudgetError, match=r"7\.6 MiB.*budget of 1\.0 MiB"):
        check_memory(1000, 1000, 0, 2**20)


def test_a_memory_error_is_what_it_is() -> None:
    assert issubclass(fs.MemoryBudgetError, MemoryError)


@pytest.fixture
def never_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be drawn, evaluated or allocated once the estimate is too large."""

    def forbidden(*_: Any, **__: Any) -> Any:
        raise AssertionError("drawn before the memory was checked")

    monkeypatch.setattr(fs.FrequencyShift, "draw", forbidden)
    monkeypatch.setattr(fs.Points, "draw", forbidden)


@pytest.mark.usefixtures("never_drawn")
@pytest.mark.parametrize("method", [fs.QR(), fs.TruncatedSVD()])
@pytest.mark.parametrize("neurons", [50_000, 3_000_000, 3 * 10**9])
def test_solve_refuses_before_it_draws_or_allocates(poisson: fs.Problem, method: Any, neurons: int) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(fs.MemoryBudgetError, match=rf"{neurons} functions.*\d+ rows"):
            fs.solve(
                poisson,
                features=fs.FrequencyShift(neurons, mu=(1, 10)),
                least_squares=method,
                budget=fs.Budget(memory=8 * GIB),
            )
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
@pytest.mark.parametrize("method", [fs.QR(), fs.TruncatedSVD()])
def test_the_budget_counts_matrix_and_workspace(poisson: fs.Problem, method: fs.QR) -> None:
    points = fs.Points(300, boundary=10)
    needed = 8 * 340 * 101 + method.workspace(340, 100)

    def solve(memory: float) -> fs.Solution:
        return fs.solve(
            poisson,
            features=fs.FrequencyShift(100, mu=(1, 10)),
            points=points,
            least_squares=method,
            budget=fs.Budget(memory=memory),
            rng=0,
        )

    assert solve(needed).report.rows == 340
    with pytest.raises(fs.MemoryBudgetError, match=r"100 functions.*340 rows"):
        solve(needed - 1)


def test_the_default_is_sixty_per_cent_of_the_machine(poisson: fs.Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget_module, "physical_memory", lambda: 10 * GIB)
    assert fs.Budget().memory_limit == pytest.approx(6 * GIB)
    with pytest.raises(fs.MemoryBudgetError, match=r"above the budget of 6\.00 GiB"):
        fs.solve(poisson, features=fs.FrequencyShift(30_000, mu=(1, 10)))


def test_a_part_of_one_point_is_not_counted_many_times(ordinary: fs.Problem) -> None:
    # 20 neurons, 40 + 2 rows: not 40 + 2 * 10**9
    budget = fs.Budget(memory=10**6)
    points = fs.Points(40, boundary=10**9)
    features = fs.FrequencyShift(20, mu=(0, 10))
    solution = fs.solve(ordinary, features=features, points=points, budget=budget, rng=0)
    assert solution.report.rows == 42
    assert np.all(np.isfinite(solution.coefficients))
