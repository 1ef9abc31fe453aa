"""What holds for every test, and solutions to test with."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import HealthCheck, settings

import fspielm as fs
from fspielm.basis import COSINE, SINE, TANH, Basis, JoinedBasis, Power, RidgeBasis, SingularBasis, SourceBasis, Wave
from fspielm.collocation import BlockResidual
from fspielm.estimate import ErrorEstimate
from fspielm.geometry import Domain
from fspielm.solution import BandReport

# A deadline measures the machine, not the code; and what failed once must fail again for whoever looks at it.
settings.register_profile(
    "fspielm", deadline=None, derandomize=True, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fspielm")

# Thousands of tests are collected, and all that is made for them stays: it need not be looked through again and again.
# Nor need expressions, which SymPy keeps by the ten thousand.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Function) -> None:
    """Have panels placed for tests that look at places alone: until they settle is most of what drawing takes."""
    figure: Any = sys.modules.get("fspielm.solution.plot.style")  # whoever draws has imported it
    if figure is not None:
        figure._PASSES = 3 if "laid_out" in item.fixturenames else int("placed" in item.fixturenames)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has begun may end after its budget, on a busy machine, too."""
    monkeypatch.setattr("fspielm.solvers.round._GRACE", 1e6)


@pytest.fixture
def laid_out() -> None:
    """Pictures are laid out as for users."""


@pytest.fixture
def placed() -> None:
    """Panels of pictures are placed once: enough where they are free to take any shape."""


DOMAINS: dict[str, Domain] = {
    "1d": fs.Interval(-1, 2),
    "1d+time": fs.Interval(-1, 2) * fs.Time(0, 1 / 3),
    "2d": fs.Box((0, -1), (1, 2)),
    "disk": fs.Disk((0.3, 0), 1),
    "cut": fs.Box((0, 0), (1, 1)) - fs.Disk((1, 1), 0.5),
    "2d+time": fs.Disk((0.3, 0), 1) * fs.Time(0, 2),
    "3d": fs.Box((0, 0, 0), (1, 2, 3)),
    "ball": fs.Ball((0, 0, 0), 1),
    "3d+time": fs.Ball((0, 0, 0), 1) * fs.Time(0, 1),
}


def columns_of(kind: str, dimension: int) -> Basis:
    """A few columns of a kind, the same every time."""
    rng = np.random.default_rng(5)
    W, b, origin = 3 * rng.standard_normal((7, dimension)), rng.uniform(0, 6, 7), rng.uniform(-1, 1, dimension)
    ridges = {"cosine": COSINE, "sine": SINE, "tanh": TANH}
    if kind in ridges:
        return RidgeBasis(W, b, ridges[kind], origin)
    powers = SingularBasis((0.1, -2 / 3), 0.3, 1.7, [Power(2 / 3), Power(1.5, 1), Power(2.0, 0, True)])
    orders = [Wave(1 / 3, 5.1), Wave(2.5, 3.0, True), Wave(1.0, 2.0, False, True)]
    waves = SingularBasis((0.1, -2 / 3), 0.3, 1.7, orders)
    if kind == "powers":
        return powers
    if kind == "waves":
        return waves
    if kind.startswith("sources"):
        return SourceBasis([(3.1, 0.3), (-2.0, 2 / 3)], {"-": -7.3, "0": 0.0, "+": 1 / 3}[kind[-1]], (1.1, 0.3))
    parts = [columns_of(name, dimension) for name in ridges]
    return JoinedBasis([*parts, JoinedBasis([powers, waves])] if dimension == 2 else parts)


@pytest.fixture
def count_calls() -> Callable[[Callable[[], object]], int]:
    """How many functions a piece of work calls: what "at once" means on any machine, busy or not."""

    def count(work: Callable[[], object]) -> int:
        calls = 0

        def watch(frame: Any, event: str, argument: Any) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        # a collection that falls within the work would be counted, as others listen to it
        gc.disable()
        sys.setprofile(watch)
        try:
            work()
        finally:
            sys.setprofile(None)
            gc.enable()
        return calls

    return count


@pytest.fixture
def make_solution() -> Callable[..., fs.Solution]:
    """Solutions of made-up problems, one to four coordinates, with any kind of columns: quick, and all alike."""

    def make(name: str = "2d", kind: str = "cosine", coefficients: Any = None, **more: Any) -> fs.Solution:
        domain = DOMAINS[name]
        names = "xyz"[: domain.dimension - (domain.time is not None)] + "t" * (domain.time is not None)
        coordinates = sp.symbols(" ".join(names), seq=True)
        u = sp.Function("u")(*coordinates)
        initial = [fs.Initial(0)] if domain.time is not None else []
        left = sp.Add(*(u.diff(s, 2) for s in coordinates if str(s) != "t")) - (u.diff("t") if initial else 0)
        stated = {"given": None, "conditions": [fs.Dirichlet(1), *initial]} | more
        source = stated.pop("source", sp.sin(coordinates[0]))
        problem = fs.Problem(sp.Eq(left, source), domain, **stated)
        basis = columns_of(kind, domain.dimension)
        if coefficients is None:
            coefficients = np.random.default_rng(6).standard_normal(basis.size)
        residuals = {"equation": BlockResidual(1e-9, np.inf)}
        rounds = (fs.Round(1, "band", basis.size, 40, (3.0,) * domain.dimension, np.inf, 1e3, 0.1),)
        report = fs.Report(
            features="Band(7)",
            least_squares="QR()",
            scaling="rms",
            neurons=basis.size,
            rows=40,
            points={"equation": 40},
            residuals=residuals,
            rank=basis.size,
            condition=np.inf,
            coefficient_norm=1 / 3,
            scale=2 / 3,
            seconds={"solve": 0.1},
            rng=2**127 + 1,
            tol=1e-8,
            error_estimate=0.1 + 0.2,
            max_error_estimate=np.inf,
            converged=False,
            reason="nothing was solved",
            bands={str(s): BandReport(3.0, "the equation") for s in coordinates},
            rounds=rounds,
        )
        numbers = (0.1 + 0.2, np.inf, 1e3, 1e-9, 2.5, 1e-16, 0.7, 1e3)
        estimate = ErrorEstimate(*numbers, residuals, np.arange(4) / 3, np.arange(basis.size) / 7)
        return fs.Solution(problem, basis, coefficients, report, lambda: estimate)

    return make
