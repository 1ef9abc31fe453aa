"""The automatic solver's rounds: what they are told by, what they cost, and what can be fixed by hand."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.basis import RidgeBasis
from fspielm.solvers.round import work

x, y, t = sp.symbols("x y t")
SQUARE = fs.Box((0, 0), (1, 1))
Make = Callable[..., Any]


def laplace(u: sp.Expr) -> sp.Expr:
    return u.diff(x, 2) + u.diff(y, 2)


@pytest.fixture(scope="module")
def plain(manufacture: Make) -> Any:
    """One or two rounds."""
    return manufacture(lambda u: laplace(u) + 50 * u, sp.sin(10 * x) * sp.cos(7 * y), SQUARE, (x, y))


@pytest.fixture(scope="module")
def layer(manufacture: Make) -> Any:
    """A layer that no datum shows: the band has to be found round by round."""
    exact = x - (sp.exp(50 * (x - 1)) - sp.exp(-50)) / (1 - sp.exp(-50))
    return manufacture(lambda u: -u.diff(x, 2) / 50 + u.diff(x), exact, fs.Interval(0, 1), (x,))


@pytest.fixture(scope="module")
def skew_layer(manufacture: Make) -> Any:
    """The same in two dimensions."""
    exact = (x - (sp.exp(25 * (x - 1)) - sp.exp(-25)) / (1 - sp.exp(-25))) * sp.sin(sp.pi * y)
    return manufacture(lambda u: -laplace(u) / 25 + u.diff(x), exact, SQUARE, (x, y))


# --- progress -----------------------------------------------------------------------------------


def test_a_callable_receives_every_round(layer: Any) -> None:
    seen: list[fs.Round] = []
    solution = fs.solve(layer.problem, rng=0, progress=seen.append)
    assert len(seen) > 2
    assert tuple(seen) == solution.report.rounds
    assert [done.number for done in seen] == list(range(1, len(seen) + 1))
    assert seen[0].why == "band of the equation and its data"
    assert all(done.why == "wider along x" for done in seen[1:])
    assert min(done.error_estimate for done in seen) == solution.error_estimate
    for done in seen:
        assert done.seconds > 0
        assert len(done.widths) == 1
        assert str(done.neurons) in str(done)


def test_true_writes_a_line_per_round_to_standard_error(layer: Any, capfd: pytest.CaptureFixture[str]) -> None:
    solution = fs.solve(layer.problem, rng=0, progress=True)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines() == [str(done) for done in solution.report.rounds]
    line = r"round \d+: \d+ functions, \d+ rows, estimate \d\.\de[-+]\d+, [\d.]+ m?s \(.+\)"
    assert all(re.fullmatch(line, text) for text in err.splitlines())


@pytest.mark.parametrize("progress", [None, False])
def test_otherwise_nothing_is_printed(layer: Any, progress: Any, capfd: pytest.CaptureFixture[str]) -> None:
    fs.solve(layer.problem, rng=0, progress=progress)
    assert capfd.readouterr() == ("", "")


def test_the_report_tells_bands_and_rounds(plain: Any) -> None:
    report = fs.solve(plain.problem, rng=0).report
    text = str(report)
    assert list(report.bands) == ["x", "y"]
    for name, band in report.bands.items():
        assert re.search(rf"band {name} +{re.escape(f'{band.frequency:.4g}')}, set by {band.source}", text)
    for done in report.rounds:
        assert str(done) in text
    content = report.as_dict()
    assert content["bands"]["x"] == {"frequency": report.bands["x"].frequency, "source": report.bands["x"].source}
    assert [done["neurons"] for done in content["rounds"]] == [done.neurons for done in report.rounds]
    assert content["converged"] is True
    assert content["error_estimate"] == report.error_estimate


# --- rounds -------------------------------------------------------------------------------------


def test_rounds_grow_and_all_together_cost_little_more_than_the_last(layer: Any, skew_layer: Any) -> None:
    for made in (layer, skew_layer):
        rounds = fs.solve(made.problem, rng=0).report.rounds
        assert len(rounds) >= 4
        for one, other in itertools.pairwise(rounds):
            assert other.neurons >= 1.2 * one.neurons
        spent = [work(done.rows, done.neurons) for done in rounds]
        assert sum(spent) <= 2.2 * spent[-1]


def test_the_best_round_is_returned() -> None:
    u = sp.Function("u")(x, y)
    problem = fs.Problem(sp.Eq(laplace(u), 1), SQUARE, [fs.Dirichlet(0)])  # corners: larger is not better for ever
    solution = fs.solve(problem, rng=0)
    assert solution.error_estimate == min(done.error_estimate for done in solution.report.rounds)


def test_a_looser_tolerance_costs_less(plain: Any) -> None:
    solutions = [fs.solve(plain.problem, rng=0, tol=tol) for tol in (1e-2, 1e-5, 1e-9)]
    assert all(solution.converged for solution in solutions)
    for one, other in itertools.pairwise(solutions):
        assert one.report.neurons < other.report.neurons
        assert plain.error(one) > plain.error(other)


# --- randomness ---------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bits(plain: Any, layer: Any) -> None:
    for made in (plain, layer):
        one, other = (fs.solve(made.problem, rng=11) for _ in range(2))
        assert isinstance(one.basis, RidgeBasis)
        assert isinstance(other.basis, RidgeBasis)
        assert np.array_equal(one.basis.W, other.basis.W)
        assert np.array_equal(one.coefficients, other.coefficients)
        assert one.error_estimate == other.error_estimate
        assert one.report.bands == other.report.bands
        assert one.report.rng == other.report.rng == 11


def test_threads_do_not_matter(plain: Any) -> None:
    solutions = [fs.solve(plain.problem, rng=3, budget=fs.Budget(threads=threads)) for threads in (1, 3)]
    assert np.array_equal(solutions[0].coefficients, solutions[1].coefficients)


def test_seeds_do_not_matter_much(plain: Any) -> None:
    """A lucky draw may save a round; with the same number of rounds the errors are alike."""
    errors: dict[int, list[float]] = {}
    for seed in range(3):
        solution = fs.solve(plain.problem, rng=seed)
        assert solution.converged
        errors.setdefault(len(solution.report.rounds), []).append(plain.error(solution))
    for alike in errors.values():
        assert max(alike) < min(100 * min(alike), 1e-8)


# --- partly by hand -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"points": fs.Points(1200, boundary=80)}, {"equation": 1200, "dirichlet x-": 80}),
        ({"points": fs.Points(1200, boundary_total=300, sampling="clustered")}, {"equation": 1200, "dirichlet x-": 75}),
        ({"least_squares": fs.TruncatedSVD(1e-14)}, {}),
        ({"scaling": "none"}, {}),
    ],
)
def test_one_setting_fixes_that_and_leaves_the_rest(plain: Any, settings: Any, expected: dict[str, int]) -> None:
    solution = fs.solve(plain.problem, rng=0, **settings)
    report = solution.report
    assert solution.converged
    assert plain.error(solution) < 1e-8
    assert expected.items() <= report.points.items()
    assert report.features.startswith("Band(")
    assert report.rounds
    assert report.scaling == settings.get("scaling", "rms")
    assert report.least_squares == repr(settings.get("least_squares", fs.QR()))


def test_a_band_by_hand_gets_its_points_automatically(plain: Any) -> None:
    solution = fs.solve(plain.problem, features=fs.Band(450, (26.0, 24.0)), rng=0)
    assert solution.converged
    assert solution.report.points["equation"] == 675
    assert not solution.report.rounds


@pytest.mark.filterwarnings("ignore:not converged")  # too small on purpose
def test_a_weight_counts_for_its_own_block_alone(manufacture: Make) -> None:
    exact = sp.sin(10 * x) * sp.cos(7 * y)

    def made(weight: float) -> Any:
        conditions = [fs.Dirichlet(exact, on=["x-", "x+"], weight=weight), fs.Dirichlet(exact, on=["y-", "y+"])]
        return manufacture(lambda u: laplace(u) + 50 * u, exact, SQUARE, (x, y), conditions)

    plain, heavy = (made(weight) for weight in (1.0, 1e4))
    budget = fs.Budget(neurons=200)  # too few: something has to give
    residuals = [fs.solve(m.problem, rng=0, budget=budget).report.residuals for m in (plain, heavy)]
    assert residuals[1]["dirichlet x-"].rms < 0.1 * residuals[0]["dirichlet x-"].rms
    assert residuals[1]["dirichlet y-"].rms > 0.5 * residuals[0]["dirichlet y-"].rms
    # with enough neurons nothing has to give, and no weight matters
    for m in (plain, heavy):
        solution = fs.solve(m.problem, rng=0)
        assert solution.converged
        assert m.error(solution) < 1e-8
