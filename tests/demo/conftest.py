"""A demonstration small enough for a test."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import fspielm as fs
from fspielm.cases import Case
from fspielm.demo import demo


def tiny_settings(case: Case) -> dict[str, Any]:
    """Far too few neurons for an answer, enough for a picture."""
    return {
        "features": fs.FrequencyShift(12, mu=(5, 50)),
        "points": fs.Points(interior=60, boundary_total=12, initial=12),
    }


@pytest.fixture(scope="session")
def tiny_demo() -> Any:
    """`run_demo` with tiny settings in the place of the best ones."""

    def run(*args: Any, **kwargs: Any) -> list[Any]:
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore", fs.AccuracyWarning)
            patch.setattr(demo, "best_settings", tiny_settings)
            return demo.run_demo(*args, **kwargs)

    return run
