"""Pictures of modes, and their values in print."""

from __future__ import annotations

from pathlib import Path

import pytest
import sympy as sp

import fspielm as fs
from fspielm.eigen import Modes

x, lam = sp.symbols("x lam")
u = sp.Function("u")(x)


@pytest.fixture(scope="module")
def modes() -> Modes:
    problem = fs.Problem(sp.Eq(-u.diff(x, 2), lam * u), fs.Interval(0, 1), [fs.Dirichlet(0)], given={lam: ...})
    return fs.eigenmodes(problem, lam, count=3)


def test_values_are_printed_to_the_digits_that_their_bounds_allow(modes: Modes) -> None:
    lines = str(modes).splitlines()[1:4]
    for mode, line in zip(modes, lines, strict=True):
        written = line.split()[1]
        decimals = len(written.partition(".")[2])
        assert abs(float(written) - mode.value) <= 0.5001 * 10.0**-decimals
        assert mode.bound is not None
        assert decimals >= 13 or 10.0 ** -(decimals + 1) < mode.bound <= 10.0**-decimals
        assert repr(mode).startswith(f"Mode({written}, bound=")


def test_a_picture_has_a_panel_for_each_of_the_first_modes(modes: Modes, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    figure = modes.plot(tmp_path / "modes.png")
    assert [panel.get_title().split()[0] for panel in figure.axes] == ["1:", "2:", "3:"]
    assert figure.axes[0].get_title().startswith("1:  9.869604401")
    assert figure.get_suptitle() == ""
    assert (tmp_path / "modes.png").stat().st_size > 5000


def test_a_picture_says_that_it_shows_some(modes: Modes) -> None:
    pytest.importorskip("matplotlib")
    figure = modes.plot(count=2, title="A string")
    assert len(figure.axes) == 2
    assert figure.get_suptitle() == "A string: the first 2 of 3 modes"
    assert modes.plot(count=2).get_suptitle() == "the first 2 of 3 modes"


def test_what_cannot_be_drawn_is_refused(modes: Modes) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(fs.ProblemError, match=r"count.*1 or more; got 0"):
        modes.plot(count=0)
    with pytest.raises(fs.ProblemError, match=r"picture.*end in \.png"):
        modes.plot("modes.txt")
    with pytest.raises(fs.ProblemError, match="no modes to plot"):
        Modes((), True, True).plot()
