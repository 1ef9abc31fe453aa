"""`Solution.plot_convergence`."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.errors import ProblemError


def with_rounds(solution: fs.Solution, estimates: list[float]) -> fs.Solution:
    """The solution with rounds of these estimates, a hundred neurons and half a second more each."""
    rounds = tuple(
        fs.Round(n, f"reason {n} at $5", 100 * n, 200 * n, (1.0,), estimate, 1.0, 0.5)
        for n, estimate in enumerate(estimates, start=1)
    )
    return replace(solution, report=replace(solution.report, rounds=rounds))


def test_rounds_against_neurons_and_seconds(automatic: fs.Solution, tmp_path: Path) -> None:
    figure: Any = with_rounds(automatic, [math.inf, 1e-2, 1e-5]).plot_convergence(tmp_path / "a.png")
    figure.canvas.draw()
    left, right = figure.axes
    np.testing.assert_array_equal(left.lines[0].get_data(), [[100, 200, 300], [1, 1e-2, 1e-5]])
    np.testing.assert_allclose(right.lines[0].get_xdata(), [0.5, 1.0, 1.5])
    assert [text.get_text() for text in left.texts] == ["1", "2", "3"]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["no digits are reliable", r"tolerance $1.0 \times 10^{-3}$"]
    assert figure._supxlabel.get_text().splitlines() == [rf"{n}  reason {n} at \$5" for n in (1, 2, 3)]
    assert left.get_ylim()[0] < 1e-5
    assert left.get_ylim()[1] > 1
    assert (tmp_path / "a.png").exists()


def test_real_rounds(automatic: fs.Solution) -> None:
    figure = automatic.plot_convergence()
    figure.canvas.draw()
    assert figure.axes[0].get_xlabel() == "functions"
    assert figure.axes[0].lines[0].get_ydata()[-1] == automatic.report.rounds[-1].error_estimate


def test_a_zero_estimate_can_be_drawn(automatic: fs.Solution) -> None:
    with_rounds(automatic, [1e-2, 0.0]).plot_convergence().canvas.draw()


def test_a_solve_by_hand_has_none(line: fs.Solution) -> None:
    with pytest.raises(ProblemError, match=r"no rounds.*mode.*by hand"):
        line.plot_convergence()
