"""A demonstration small enough for a test."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import fspielm as fs
from fspielm.paper import demo
from fspielm.paper.cases import Case
from fspielm.paper.demo import CaseRun
from fspielm.solution.plot import style

# Far too few neurons for an answer, enough for a picture.
TINY: dict[str, Any] = {
    "features": fs.FrequencyShift(12, mu=(5, 50)),
    "points": fs.Points(interior=60, boundary_total=12, initial=12),
}


@pytest.fixture(scope="session")
def tiny_demo() -> Any:
    """`run_demo` with tiny settings in the place of none."""

    def run(*args: Any, **kwargs: Any) -> list[Any]:
        solve = demo.run_case

        def solve_tiny(case: Case, settings: dict[str, Any], *, rng: int) -> CaseRun:
            assert settings == {}, "the demonstration chooses something by hand"
            return solve(case, TINY, rng=rng)

        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore", fs.AccuracyWarning)
            patch.setattr(demo, "run_case", solve_tiny)
            patch.setitem(style._SETTINGS, "savefig.dpi", 40.0)
            return demo.run_demo(*args, **kwargs)

    return run
