"""Written and read again, a problem is the same."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import fspielm as fs
from fspielm.files.toml import write_toml, write_value
from fspielm.problem import with_data

x, y, t, k = sp.symbols("x y t k")
u = sp.Function("u")(x, y)


def assert_same(first: fs.Problem, second: fs.Problem) -> None:
    """The same operators, data to the last bit, domain and conditions."""
    assert str(first.unknown) == str(second.unknown)
    assert repr(first.domain) == repr(second.domain)
    assert [c.name for c in first.constraints] == [c.name for c in second.constraints]
    assert first.operator.is_constant == second.operator.is_constant
    points = first.domain.sample(200, np.random.default_rng(3))
    np.testing.assert_array_equal(points, second.domain.sample(200, np.random.default_rng(3)))
    sites = fs.geometry.Sites(points)
    for one, other in zip(first.operator.terms, second.operator.terms, strict=True):
        assert one.orders == other.orders
        np.testing.assert_array_equal(one.at(sites), other.at(sites))
    np.testing.assert_array_equal(first.right_hand_side(points), second.right_hand_side(points))
    for one, other in zip(first.constraints, second.constraints, strict=True):
        where = [c.sample(50, np.random.default_rng(4)) for c in (one, other)]
        np.testing.assert_array_equal(where[0].points, where[1].points)
        np.testing.assert_array_equal(one.value(where[0].points), other.value(where[0].points))


@pytest.mark.parametrize("name", fs.cases.names())
def test_the_benchmarks(name: str, tmp_path: Path) -> None:
    case = fs.cases.load(name)
    path = tmp_path / "case.toml"
    text = fs.write_problem(case.problem, path, title=case.title, exact=case.exact)
    assert path.read_text(encoding="utf-8") == text
    file = fs.read_problem_file(path)
    assert_same(file.problem, case.problem)
    # even the same expressions, which is why a solve gives the same bits
    assert file.problem.equation == case.problem.equation
    assert file.problem.conditions == case.problem.conditions
    assert file.problem.domain == case.problem.domain
    assert (file.title, file.exact) == (case.title, case.exact)
    assert fs.write_problem(file.problem, title=file.title, exact=file.exact) == text


def test_a_benchmark_from_its_file_has_the_same_bits() -> None:
    case = fs.cases.load("poisson-1d")
    file = fs.read_problem_file(fs.write_problem(case.problem, exact=case.exact))
    by_file, by_case = file.solve(rng=0), fs.solve(case.problem, rng=0)
    np.testing.assert_array_equal(by_file.coefficients, by_case.coefficients)
    assert file.relative_error(by_file) == case.relative_error(by_case)


def problems() -> dict[str, fs.Problem]:
    r = sp.Symbol("r", real=True)
    w = sp.Function("w")(r, t)
    laplace = u.diff(x, 2) + u.diff(y, 2)
    return {
        "parameters": fs.Problem(
            sp.Eq(laplace + k**2 * u, sp.sin(k * x)), fs.Disk((0, 0), 1), [fs.Dirichlet(k * y)], given={k: 0.1 + 0.2}
        ),
        "expression": fs.Problem(laplace - sp.exp(x), fs.Box((0, 0), (1, np.e)), [fs.Dirichlet(np.float64(0.1))]),
        "parts": fs.Problem(
            laplace,
            fs.Box((0, 0), (1, 1)),
            [fs.Dirichlet(1, on=["x-", "x+"], weight=2.5), fs.Neumann(sp.pi, on="y-"), fs.Dirichlet(x, on=sp.Eq(y, 1))],
        ),
        "relations": fs.Problem(
            sp.diff((1 + x**2) * u.diff(x), x) + u.diff(y, 2),
            fs.Pacman(),
            [fs.Dirichlet(0, on=sp.Or(x < 0.5, y < 0.3)), fs.Neumann(0, on=sp.And(x >= 0.5, y >= 0.3))],
        ),
        "time": fs.Problem(
            sp.Eq(w.diff(t, 2), w.diff(r, 2) + sp.Piecewise((0, r < 1), (sp.Abs(r), True))),
            fs.Interval(0.25, 2) * fs.Time(0, 0.7),
            [fs.Dirichlet(0), fs.Initial(sp.Max(r, 1)), fs.Initial(0.0, order=1)],
        ),
        "curve": fs.Problem(laplace, fs.PolarCurve(2 + sp.cos(5 * sp.Symbol("phi")), center=(1, 0)), [fs.Dirichlet(x)]),
    }


@pytest.mark.parametrize("name", problems())
def test_problems(name: str) -> None:
    problem = problems()[name]
    text = fs.write_problem(problem)
    again = fs.read_problem(text)
    if name != "curve":
        assert_same(problem, again)
    assert fs.write_problem(again) == text


def test_settings_that_differ_from_the_defaults() -> None:
    problem = problems()["expression"]
    text = fs.write_problem(problem, tol=1e-5, rng=4, budget=fs.Budget(neurons=10, seconds=None, memory=1e9))
    assert tomllib.loads(text)["solve"] == {"tol": 1e-5, "rng": 4, "neurons": 10, "memory": 1e9}
    assert "solve" not in tomllib.loads(fs.write_problem(problem, budget=fs.Budget()))


def test_another_right_hand_side_is_written_too() -> None:
    problem = problems()["parts"]
    renewed = with_data(problem, right_hand_side=sp.cos(x), values={"neumann y-": 3})
    assert_same(renewed, fs.read_problem(fs.write_problem(renewed)))


LAPLACE = u.diff(x, 2) + u.diff(y, 2)


def zero(points: object) -> float:
    return 0.0


f = sp.Function("f")


@pytest.mark.parametrize(
    ("equation", "conditions", "given_", "message"),
    [
        (LAPLACE - f(x), [fs.Dirichlet(0)], {f: zero}, r"given\[f\] is a callable"),
        (LAPLACE, [fs.Dirichlet(zero)], {}, r"Dirichlet: value.*callable zero"),
        (
            LAPLACE,
            [fs.Dirichlet(0, on=lambda points: np.ones(len(points), dtype=bool))],
            {},
            r"Dirichlet: on.*<lambda>.*file",
        ),
        (LAPLACE - sp.zeta(2 + x), [fs.Dirichlet(0)], {}, r"notation.*no wor"),
        (
            sp.Symbol("k") * u.diff(x, 2) + sp.Symbol("k", real=True) * u.diff(y, 2),
            [fs.Dirichlet(0)],
            {sp.Symbol("k"): 1, sp.Symbol("k", real=True): 2},
            r"given.*two symbols.*assumptions",
        ),
        (
            sp.Symbol("a b") * u.diff(x, 2) + u.diff(y, 2),
            [fs.Dirichlet(0)],
            {sp.Symbol("a b"): 1},
            "'a b' must be named by a letter",
        ),
    ],
)  # fmt: skip
def test_what_a_file_cannot_hold(
    equation: sp.Expr, conditions: list[fs.Dirichlet], given_: dict[object, object], message: str
) -> None:
    problem = fs.Problem(equation, fs.Box((0, 0), (1, 1)), conditions, given=given_)
    with pytest.raises(fs.ProblemError, match=message):
        fs.write_problem(problem)


def test_not_a_problem() -> None:
    with pytest.raises(fs.ProblemError, match=r"problem.*fs\.Problem; got 3"):
        fs.write_problem(3)  # type: ignore[arg-type]


VALUES = st.recursive(
    st.one_of(
        st.text(st.characters(exclude_categories=["Cs"])),
        st.integers(-(2**63), 2**63 - 1),
        st.floats(allow_nan=False),
        st.booleans(),
    ),
    lambda children: st.one_of(st.lists(children), st.dictionaries(st.text(min_size=1), children)),
    max_leaves=5,
)


@settings(max_examples=20)
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), VALUES))
def test_toml_is_read_back(content: dict[str, object]) -> None:
    values = {key: value for key, value in content.items() if isinstance(value, str | int | float | bool)}
    assert tomllib.loads(write_toml(values)) == values
    for value in content.values():
        assert tomllib.loads(f"a = {write_value(value)}") == {"a": value}


def test_toml_has_no_functions() -> None:
    with pytest.raises(TypeError, match="TOML has no function"):
        write_value(zero)
