"""The problems of several unknowns or complex values on the page of problems solved: their solutions are exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

from fspielm.expr import make_field
from fspielm.geometry import Sites

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

pytestmark = pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the benchmarks come with the repository, not with the package"
)

FAST = ("Stokes on a disk", "wave packet", "beam of first order", "sound in a pipe")


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def residual(relation: Any, sites: Sites, made: Any) -> float:
    """What a relation makes of the exact solution, without its value, over the size of its terms."""
    total, size = 0.0, 1e-300
    for term in relation.operator.terms:
        derivative = sp.sympify(made.exact[term.unknown])
        for symbol, order in zip(made.problem.coordinates, term.orders, strict=True):
            derivative = derivative.diff(symbol, order) if order else derivative
        image = term.at(sites) * make_field(derivative, made.problem.coordinates)(sites.points)
        total, size = total + image, size + np.abs(image).max()
    value = relation.value
    known = value(sites.points, sites.normals) if value.needs_normals else value(sites.points)
    return float(np.abs(total - known).max() / size)


def satisfies_everything(name: str) -> None:
    from field_problems import FIELD_EXAMPLES

    made = FIELD_EXAMPLES[name][1]()
    rng = np.random.default_rng(0)
    for equation in made.problem.equations if made.exact else ():
        assert residual(equation, Sites(made.problem.domain.sample(20, rng)), made) < 1e-11, equation.name
    for constraint in made.problem.constraints if made.exact else ():
        assert residual(constraint, constraint.sample(20, rng, "uniform"), made) < 1e-11, constraint.name


@pytest.mark.parametrize("name", FAST)
def test_the_solution_satisfies_equations_and_conditions(name: str) -> None:
    satisfies_everything(name)


@pytest.mark.slow
def test_so_does_every_other() -> None:
    from field_problems import FIELD_EXAMPLES

    for name in set(FIELD_EXAMPLES) - set(FAST):
        satisfies_everything(name)


def test_what_nothing_determines_does_not_count() -> None:
    from field_problems import FIELD_EXAMPLES

    made = FIELD_EXAMPLES["Stokes on a disk"][1]()
    points = made.problem.domain.sample(300, np.random.default_rng(0))
    fields = [make_field(sp.sympify(e), made.problem.coordinates) for e in made.exact]

    def shifted(at: Any, pressure: float = 0.0, velocity: float = 0.0) -> Any:
        shift = np.array([velocity, 0.0, pressure])
        return np.stack([field(at) for field in fields], axis=1) + shift

    assert made.error(lambda at: shifted(at, pressure=3.0), points) < 1e-13
    assert made.error(lambda at: shifted(at, velocity=1e-3), points) > 1e-4
