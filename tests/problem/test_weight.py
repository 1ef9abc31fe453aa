"""How much a condition counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fspielm as fs

CONDITIONS = [fs.Dirichlet, fs.Neumann, fs.Initial]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_one_unless_said_otherwise(condition: Any) -> None:
    assert condition(0).weight == 1.0
    assert condition(0, weight=25).weight == 25
    assert condition(0, weight=np.float64(0.5)).weight == 0.5
    assert condition(0, weight=2) != condition(0)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("weight", [0, -1.0, np.nan, np.inf, "heavy", None, True, 1j])
def test_refuses_what_is_no_weight(condition: Any, weight: Any) -> None:
    with pytest.raises(fs.ProblemError, match=rf"{condition.__name__}: weight.*positive"):
        condition(0, weight=weight)
