"""Every way in which a solve can fall short is told, with its cause and a remedy."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.geometry import Domain
from fspielm.solvers import driver as automatic
from fspielm.solvers import driver as fit_budget
from fspielm.solvers.round import Outlook, Pace, Record, extent_of
from fspielm.wording import duration

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)
v = sp.Function("u")(x, t)
f = sp.Function("f")
SQUARE = fs.Box((0, 0), (1, 1))
Make = Callable[..., Any]


def laplace(w: sp.Expr) -> sp.Expr:
    return w.diff(x, 2) + w.diff(y, 2)


def helmholtz(square: Any, source: Any, *conditions: Any, domain: Domain = SQUARE) -> fs.Problem:
    return fs.Problem(sp.Eq(laplace(u) + square * u, source), domain, conditions or [fs.Dirichlet(0)])


def warned(problem: fs.Problem, message: str, **settings: Any) -> fs.Solution:
    """Solve, and expect exactly one AccuracyWarning, which says what the report says."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        solution = fs.solve(problem, **{"rng": 0, **settings})
    assert [w.category for w in caught] == [fs.AccuracyWarning]
    assert caught[0].filename == __file__
    assert str(caught[0].message) == f"not converged: {solution.report.reason}"
    assert not solution.converged
    assert solution.report.converged is False
    assert solution.error_estimate > solution.report.tol
    assert re.search(message, solution.report.reason), solution.report.reason
    assert re.match(
        r"(the error estimate \S+|no digits are reliable; this) misses the tolerance \S+: ", solution.report.reason
    )
    assert f"NOT CONVERGED: {solution.report.reason}" in str(solution.report)
    return solution


@pytest.fixture
def smooth(manufacture: Make) -> Any:
    """Needs about eight hundred neurons."""
    return manufacture(lambda w: laplace(w) + 400 * w, sp.exp(x) * sp.sin(20 * (x + y**2 / 2)), SQUARE, (x, y))


def test_success_warns_of_nothing_and_says_so(manufacture: Make) -> None:
    made = manufacture(lambda w: laplace(w) + 50 * w, sp.sin(10 * x) * sp.cos(7 * y), SQUARE, (x, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        solution = fs.solve(made.problem, rng=0)
    assert solution.converged is solution.report.converged is True
    assert re.fullmatch(r"the error estimate \S+ meets the tolerance 1e-08", solution.report.reason)
    assert f"verdict        converged: {solution.report.reason}" in str(solution.report)


# --- the budget ---------------------------------------------------------------------------------


def test_too_few_neurons(smooth: Any) -> None:
    solution = warned(
        smooth.problem, r"the budget of 300 functions ended it, \d+ are needed", budget=fs.Budget(neurons=300)
    )
    assert solution.report.neurons <= 300
    assert smooth.error(solution) < 0.1  # the best that 300 can do is returned


def test_a_little_budget_gives_a_little_accuracy(smooth: Any) -> None:
    """Fewer digits, not a sparse band."""
    errors = [
        smooth.error(warned(smooth.problem, "the budget of", budget=fs.Budget(neurons=n))) for n in (200, 350, 500)
    ]
    assert errors[0] > 10 * errors[1] > 100 * errors[2]


@pytest.mark.usefixtures("patient")
def test_too_little_time(smooth: Any) -> None:
    solution = warned(
        smooth.problem,
        r"the budget of 0\.01 s ended it, \d+ functions would take about",
        budget=fs.Budget(seconds=0.01),
    )
    assert solution.report.neurons < 500


@pytest.mark.parametrize("budget", [400, 700, 1000])
def test_no_round_is_begun_that_would_overrun(
    manufacture: Make, monkeypatch: pytest.MonkeyPatch, budget: float
) -> None:
    """On a machine of one pace, and a clock that goes on by what each round was thought to take."""
    layer = x - (sp.exp(50 * (x - 1)) - sp.exp(-50)) / (1 - sp.exp(-50))
    made = manufacture(lambda w: -w.diff(x, 2) / 50 + w.diff(x), layer, fs.Interval(0, 1), (x,))
    pace = Pace(draw=0.0, place=0.0, fill=0.0, factor=2e-4, special=0.0, each_special=0.0, fixed=1.0)
    outlooks: list[Outlook] = []
    begun: list[tuple[float, float]] = []
    add = Record.add

    def look(problem: fs.Problem, plan: Any, *_: Any) -> Outlook:
        outlooks.append(Outlook(extent_of(problem, plan), pace))
        return outlooks[-1]

    def noted(record: Any, latest: Any, *, forecast: float, **more: Any) -> Any:
        begun.append((forecast, record.seconds_left))
        return add(record, latest, forecast=forecast, **more)

    monkeypatch.setattr(sys.modules["fspielm.solvers.round"], "look_ahead", look)
    monkeypatch.setattr(Record, "add", noted)
    left = property(lambda record: budget - sum(done.forecast for done in record.rounds))
    monkeypatch.setattr(Record, "seconds_left", left)
    said = f"the budget of {budget} s ended it"
    solution = warned(made.problem, said, budget=fs.Budget(seconds=budget), approach="band")
    assert len(begun) > 2
    assert all(seconds <= left for seconds, left in begun)
    wanted = outlooks[-1]
    before = solution.report.rounds[: len(outlooks) - 1]  # one more may have been begun, as large as time allowed
    # a round may take a quarter longer than thought
    assert 1.25 * wanted.seconds > budget - sum(done.forecast for done in before)
    said = f"{wanted.extent.neurons} functions would take about {duration(wanted.seconds)}"
    assert said in solution.report.reason
    assert wanted.extent.neurons > solution.report.neurons
    # what has to be allowed is more than there was, and not what the next round takes
    allowed = re.search(r"allow (.*) in all with budget=fs.Budget\(seconds=...\)", solution.report.reason)
    assert allowed is not None
    assert allowed[1] not in (duration(budget), duration(wanted.seconds))


def test_a_hopeless_band_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few functions say as well as many that the budget is far too small."""
    problem = helmholtz(1e6, sp.sin(1000 * x) * sp.sin(900 * y))
    message = r"no digits.*: \d+ functions need .* GiB.*1\.00 GiB; .*memory="
    drawn = []
    draw = fs.Band.draw

    def counted(family: fs.Band, *given: Any, **more: Any) -> Any:
        drawn.append(family.neurons)
        return draw(family, *given, **more)

    monkeypatch.setattr(fs.Band, "draw", counted)
    solution = warned(problem, message, budget=fs.Budget(memory=2**30), approach="band")
    assert solution.report.neurons == 500
    assert len(solution.report.rounds) == 1
    assert max(drawn) == 500  # what does not fit is not even tried out


def test_the_best_that_fits_into_memory(smooth: Any) -> None:
    """Fewer functions than are needed give fewer digits."""
    solution = warned(smooth.problem, r"functions need .*MiB", budget=fs.Budget(memory=5e6))
    assert 100 < solution.report.neurons < 500
    assert smooth.error(solution) <= solution.error_estimate


@pytest.mark.parametrize("memory", [1.2e6, 2e6, 4e6])
def test_memory_is_kept_whatever_is_constant_in_it(smooth: Any, monkeypatch: pytest.MonkeyPatch, memory: float) -> None:
    """Rows that do not shrink with the neurons count as well."""
    needed = []
    original = fit_budget.fit_budget

    def counted(request: Any, record: Any, step: Any, times: float) -> Any:
        fitted = original(request, record, step, times)
        if isinstance(fitted, fit_budget.FittedPlan):
            needed.append(fit_budget.bytes_of(request, record, fitted.plan))
        return fitted

    monkeypatch.setattr(automatic, "fit_budget", counted)
    warned(smooth.problem, "MiB of memory", budget=fs.Budget(memory=memory))
    assert needed
    assert max(needed) <= memory


def test_a_kind_asked_for_that_memory_does_not_hold(smooth: Any) -> None:
    problem = helmholtz(0, sp.sin(40 * x) * sp.cos(30 * y))
    with pytest.raises(fs.MemoryBudgetError, match=r"functions need .*MiB"):
        fs.solve(problem, rng=0, budget=fs.Budget(memory=1e5), approach="thin")


def test_memory_for_less_than_a_hundred_functions_is_refused_with_the_numbers(smooth: Any) -> None:
    with pytest.raises(fs.MemoryBudgetError, match=r"band.*\(x: .*set by.*y: .*too high.*0\.1 MiB.*memory="):
        fs.solve(smooth.problem, rng=0, budget=fs.Budget(memory=0.1 * 2**20))


def test_memory_counts_the_copies_of_other_methods(smooth: Any) -> None:
    settings: dict[str, Any] = {"budget": fs.Budget(memory=16e6), "rng": 0}
    assert fs.solve(smooth.problem, **settings).converged  # 9 MB in place, and 4 MB to check with
    warned(smooth.problem, "MiB of memory", budget=settings["budget"], least_squares=fs.TruncatedSVD())


def test_points_chosen_by_hand_limit_the_neurons(smooth: Any) -> None:
    solution = warned(
        smooth.problem,
        r"\d+ functions are needed, too many for the 480 rows of the points chosen by hand; give more",
        points=fs.Points(400, boundary=20, sampling="clustered"),
    )
    assert solution.report.rows == 480
    assert solution.report.neurons <= 400


# --- double precision ---------------------------------------------------------------------------


def test_the_floor_of_double_precision(manufacture: Make) -> None:
    made = manufacture(lambda w: w.diff(x, 2), sp.sin(20 * x), fs.Interval(0, 1), (x,))
    solution = warned(
        made.problem, r"the floor of double precision is reached; a tolerance of \S+ can be met", tol=1e-15
    )
    assert made.error(solution) < 1e-12
    promised = float(re.search(r"a tolerance of (\S+) can be met", solution.report.reason)[1])  # type: ignore[index]
    assert fs.solve(made.problem, tol=promised, rng=0).converged


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_floor_is_not_claimed_early(manufacture: Make, seed: int) -> None:
    """Eleven digits are asked of a problem that has twelve: the first round leaves some of them to the second."""
    made = manufacture(lambda w: laplace(w) + 50 * w, sp.sin(10 * x) * sp.cos(7 * y), SQUARE, (x, y))
    solution = fs.solve(made.problem, tol=1e-11, rng=seed)
    assert solution.converged, solution.report.reason
    assert made.error(solution) < 1e-12


# --- problems without a single solution ---------------------------------------------------------


@pytest.mark.parametrize("size", [1e-9, pytest.param(1e9, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("problem", "compatible"),
    [
        (lambda s: helmholtz(0, s * sp.cos(sp.pi * x), fs.Neumann(0)), True),
        (lambda s: helmholtz(0, s * (sp.cos(sp.pi * x) + 1), fs.Neumann(0)), False),
        (lambda s: helmholtz(0, s, fs.Neumann(0)), False),
        (lambda s: helmholtz(0, 4 * s, fs.Neumann(2 * s), domain=fs.Disk((0, 0), 1)), True),
        (lambda s: helmholtz(0, 4 * s, fs.Neumann(3 * s), domain=fs.Disk((0, 0), 1)), False),
        (lambda s: helmholtz(0, s * x, fs.Neumann(0), domain=fs.Disk((0, 0), 1)), True),
    ],
)
def test_pure_neumann_names_the_constant_and_whether_data_fit(problem: Any, compatible: bool, size: float) -> None:
    words = "for which the data are compatible; prescribe" if compatible else "and the data are not compatible with any"
    warned(problem(size), f"determined only up to a constant, {words}")


@pytest.mark.parametrize("source", [sp.sin(3 * x) * y, sp.sin(3 * sp.pi * x) * sp.sin(sp.pi * y)])
def test_an_exact_resonance(source: sp.Expr) -> None:
    warned(helmholtz(5 * sp.pi**2, source), "ill-posed or close to a resonance: .* move the coefficients off")


def test_a_condition_on_the_wrong_side() -> None:
    conditions = [fs.Dirichlet(sp.sin(5 * (1 - t)), on="x+"), fs.Initial(sp.sin(5 * x))]
    problem = fs.Problem(sp.Eq(v.diff(t) + v.diff(x), 0), fs.Interval(0, 1) * fs.Time(0, 1), conditions)
    warned(problem, "nothing is prescribed where the streamline through .* enters the domain, nor where it leaves")


# --- solutions that are not smooth --------------------------------------------------------------


@pytest.mark.parametrize("neurons", [400, pytest.param(None, marks=pytest.mark.slow)])  # without limits cells are tried
def test_a_corner_where_two_data_disagree(neurons: int | None) -> None:
    """Singular functions hold it; without them, there is nothing but to say so."""
    lid = [fs.Dirichlet(1, on="y+"), fs.Dirichlet(0, on=["x-", "x+", "y-"])]
    warned(
        helmholtz(0, 0, *lid),
        r"not smooth: 'dirichlet y\+' and 'dirichlet x-' disagree at x=0, y=1 \(1 against 0\); make the data meet",
        singular=False,
        budget=fs.Budget(neurons=neurons),
    )


@pytest.mark.parametrize("neurons", [400, pytest.param(None, marks=pytest.mark.slow)])
def test_a_start_that_disagrees_with_the_boundary(neurons: int | None) -> None:
    problem = fs.Problem(
        sp.Eq(v.diff(t), v.diff(x, 2)), fs.Interval(0, 1) * fs.Time(0, 1), [fs.Dirichlet(0), fs.Initial(1)]
    )
    message = r"not smooth: 'dirichlet x-' and 'initial'.*\(0 against 1\)"
    warned(problem, message, budget=fs.Budget(neurons=neurons))


@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(helmholtz(0, sp.Heaviside(x - 0.4)), marks=pytest.mark.slow),
        helmholtz(0, sp.Abs(x - 0.4)),
        fs.Problem(
            sp.Eq(laplace(u), f(x, y)),
            SQUARE,
            [fs.Dirichlet(0)],
            given={f: lambda p: np.where(np.hypot(p[:, 0] - 0.5, p[:, 1] - 0.5) < 0.2, 1.0, 0.0)},
        ),
    ],
)
def test_rough_data_are_named_before_long(problem: fs.Problem) -> None:
    solution = warned(
        problem,
        "not smooth: the data of 'right-hand side' have jumps, kinks or noise; smooth them, or split",
        budget=fs.Budget(neurons=400),
    )
    assert len(solution.report.rounds) <= 6


@pytest.mark.slow  # as in test_singular.py, where the corner is another
def test_a_singular_corner_is_a_guess_after_a_few_rounds() -> None:
    """The source is smooth and the data meet, yet the re-entrant corner is there."""
    solution = warned(
        helmholtz(0, 1, domain=fs.Pacman()),
        "more functions do not help any more; the solution .* not (be )?smooth",
        singular=False,
        tol=1e-6,
    )
    assert len(solution.report.rounds) <= 6


# --- nothing at all -----------------------------------------------------------------------------


@pytest.mark.parametrize("zero", [0, 0.0, sp.Integer(0), lambda points: np.zeros(len(points))])
def test_zero_data_give_zero_and_say_so(zero: Any) -> None:
    solution = fs.solve(helmholtz(20, 0, fs.Dirichlet(zero)), rng=0)
    assert solution.converged
    assert solution.error_estimate == 0
    assert solution.report.reason == "all data are zero, and so is the solution"
    assert np.array_equal(solution(np.random.default_rng(0).random((50, 2))), np.zeros(50))


def test_noise_is_refused() -> None:
    rng = np.random.default_rng(0)
    problem = helmholtz(20, 0, fs.Dirichlet(lambda points: rng.standard_normal(len(points))))
    with pytest.raises(fs.ProblemError, match=r"'dirichlet x-'.*no band"):
        fs.solve(problem, rng=0)


# --- by hand ------------------------------------------------------------------------------------


def test_features_by_hand_are_judged_where_qr_lets_them_be(smooth: Any) -> None:
    solution = warned(
        smooth.problem, "the functions and points chosen by hand do not reach further", features=fs.Band(300, (30, 30))
    )
    assert not solution.report.rounds
    assert not solution.report.bands


def test_the_papers_settings_are_not_judged_unasked(smooth: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fs.solve(
            smooth.problem,
            features=fs.FrequencyShift(200, (5, 30)),
            least_squares=fs.TruncatedSVD(),
            scaling="none",
            rng=0,
        )
