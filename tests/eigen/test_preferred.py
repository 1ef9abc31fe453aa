"""Which of two searches for the same modes is kept, and which modes are of one value."""

from typing import Any

import numpy as np
import pytest

from fspielm.eigen import Mode, Modes
from fspielm.eigen.modes import modes_of, preferred

NONE: Any = None


def bounded(*bounds: float, complete: bool = True) -> Modes:
    return Modes(tuple(Mode(1.0, bound, bound, NONE) for bound in bounds), True, complete)


def estimated(*estimates: float) -> Modes:
    return Modes(tuple(Mode(1.0, None, estimate, NONE) for estimate in estimates), False, False)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param(bounded(1e-3, 1e-3), estimated(1e-12, 1e-12), id="bounds before estimates"),
        pytest.param(bounded(1e-9, 1e-9), bounded(1e-3, 1e-9), id="those within the tolerance"),
        pytest.param(bounded(1e-3, 1e-3), bounded(1e-9), id="those with all modes"),
        pytest.param(bounded(1e-3), bounded(), id="any before none"),
        pytest.param(bounded(1e-9), bounded(1e-9, complete=False), id="those that are complete"),
        pytest.param(estimated(1e-9), bounded(np.inf), id="an infinite bound is none"),
    ],
)
def test_what_knows_more_is_kept(better: Modes, worse: Modes) -> None:
    assert preferred(better, worse, 1e-8, 1.0) is better
    assert preferred(worse, better, 1e-8, 1.0) is better


def test_modes_of_which_nothing_is_certain_are_not_of_one_value() -> None:
    values, errors = np.array([1.0, 1.0 + 1e-9, 2.0, 3.0]), np.array([1e-8, 1e-8, np.inf, np.inf])
    fields: list[Any] = [None] * 4
    found = modes_of(values, errors, fields, bounded=True)
    assert [mode.multiplicity for mode in found] == [2, 2, 1, 1]
