"""Pictures of complex fields: a part, the size or the phase."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fspielm as fs
from fspielm.errors import ProblemError
from fspielm.solution import plot_comparison
from fspielm.solution.plot.panels import unjoined
from fspielm.solution.plot.quantity import Sampling
from fspielm.solution.plot.style import as_math

x, y, z, t = sp.symbols("x y z t")
WAVE = {1: sp.exp(sp.I * 9 * x), 2: sp.exp(sp.I * (3 * x + 4 * y))}


def draw(figure: Any) -> list[Any]:
    """The panels of the figure, drawn once."""
    figure.canvas.draw()
    return list(figure.axes)


def helmholtz(domain: fs.geometry.Domain, coordinates: tuple[sp.Symbol, ...], k: int, wave: sp.Expr) -> fs.Solution:
    """A plane wave."""
    u = sp.Function("u")(*coordinates)
    equation = sp.Eq(sum(u.diff(s, 2) for s in coordinates) + k**2 * u, 0)
    return fs.solve(fs.Problem(equation, domain, [fs.Dirichlet(wave)]), rng=0)


@pytest.fixture(scope="module")
def line() -> fs.Solution:
    """A wave along a line."""
    return helmholtz(fs.Interval(0, 2), (x,), 9, WAVE[1])


@pytest.fixture(scope="module")
def disk() -> fs.Solution:
    """A wave across a disk."""
    return helmholtz(fs.Disk((0, 0), 1), (x, y), 5, WAVE[2])


@pytest.mark.parametrize(
    ("part", "label", "values"),
    [
        (None, r"$\mathrm{Re}\,u$", lambda s: np.cos(9 * s)),
        ("real", r"$\mathrm{Re}\,u$", lambda s: np.cos(9 * s)),
        ("imag", r"$\mathrm{Im}\,u$", lambda s: np.sin(9 * s)),
        ("abs", "$|u|$", lambda s: np.ones(len(s))),
        ("phase", r"$\mathrm{arg}\,u$", lambda s: unjoined(np.angle(np.exp(9j * s)))),
    ],
)
def test_along_a_line(line: fs.Solution, part: Any, label: str, values: Any) -> None:
    (panel,) = draw(line.plot(part=part))
    across, shown = panel.lines[0].get_data()
    assert panel.get_ylabel() == label
    far = np.isfinite(shown)
    np.testing.assert_allclose(shown[far], values(across)[far], atol=1e-6)


def test_a_phase_is_not_joined_where_it_jumps(line: fs.Solution) -> None:
    (panel,) = draw(line.plot(part="phase"))
    assert np.isnan(panel.lines[0].get_ydata()).sum() == 3  # 18 radians are almost three turns, jumps at odd pi
    assert [label.get_text() for label in panel.get_yticklabels()][::2] == [r"$-\pi$", "$0$", r"$\pi$"]


def test_a_phase_has_cyclic_colours_and_a_turn_for_its_scale(disk: fs.Solution) -> None:
    from matplotlib import colormaps

    (panel,) = draw(disk.plot(part="phase"))
    image = panel.images[0]
    assert (image.norm.vmin, image.norm.vmax) == pytest.approx((-np.pi, np.pi))
    ends = colormaps[image.get_cmap().name]([0.0, 1.0])
    np.testing.assert_allclose(ends[0], ends[1], atol=0.05)
    assert image.get_interpolation() == "nearest"
    assert next(label.get_text() for label in panel.child_axes[0].get_yticklabels()) == r"$-\pi$"


def test_parts_of_a_map(disk: fs.Solution) -> None:
    found = {}
    for part in ("real", "imag", "abs"):
        (panel,) = draw(disk.plot(part=part, resolution=40))
        found[part] = panel.images[0].get_array()
    np.testing.assert_allclose(np.hypot(found["real"], found["imag"]), found["abs"], atol=1e-9)


@pytest.mark.slow
def test_other_pictures(disk: fs.Solution, tmp_path: Path) -> None:
    (panel,) = draw(disk.plot_error(WAVE[2], resolution=40))
    assert panel.images[0].get_array().max() < 1e-6
    assert len(disk.plot_residual(resolution=10).axes) == 1
    spectrum = disk.plot_spectrum(tmp_path / "spectrum.png")
    assert "Energy of $u" in draw(spectrum)[1].get_title()
    assert "<img" in disk._repr_html_()
    assert len(plot_comparison(disk, WAVE[2], resolution=10).axes) == 2


def test_the_energy_of_a_wave_is_on_one_side(disk: fs.Solution) -> None:
    from fspielm.solution.plot.spectrum import energy_in_plane

    energy = energy_in_plane(disk, np.array([10.0, 10.0]))
    row, column = np.unravel_index(energy.values.argmax(), energy.values.shape)
    assert (energy.axes[0][row], energy.axes[1][column]) == pytest.approx((3, 4), abs=0.3)


def test_isosurfaces_of_parts() -> None:
    cube = helmholtz(fs.Box((0, 0, 0), (1, 1, 1)), (x, y, z), 3, sp.exp(sp.I * (x + 2 * y + 2 * z)))
    assert cube.plot_isosurface(part="imag", resolution=8).get_suptitle().startswith(r"$\mathrm{Im}\,u$ = ")
    with pytest.raises(ProblemError, match=r"isosurface.*phase.*jumps"):
        cube.plot_isosurface(part="phase")


def test_a_real_field_has_parts_too(square: fs.Solution) -> None:
    (panel,) = draw(square.plot(part="abs", resolution=20))
    assert panel.images[0].get_array().min() >= 0
    assert panel.child_axes[0].get_title() == "$|u|$"


@pytest.mark.slow
def test_an_animation_of_a_phase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fspielm.solution.plot.plot._FRAMES", Sampling(10.0, 4, 90))
    psi = sp.Function("psi")(x, t)
    packet = sp.exp(sp.I * (2 * x - 2 * t))
    problem = fs.Problem(
        sp.Eq(sp.I * psi.diff(t) + psi.diff(x, 2) / 2, 0),
        fs.Interval(0, 4) * fs.Time(0, 1),
        [fs.Dirichlet(packet), fs.Initial(packet.subs(t, 0))],
    )
    solution = fs.solve(problem, rng=0)
    solution.plot(tmp_path / "psi.gif", part="phase", resolution=50)
    assert (tmp_path / "psi.gif").read_bytes().startswith(b"GIF")
    assert as_math(sp.Symbol("psi"))[1:-1] in draw(solution.plot(resolution=20))[0].child_axes[0].get_title()


def test_no_part(line: fs.Solution) -> None:
    with pytest.raises(ProblemError, match=r"part must.*got 'modulus'"):
        line.plot(part="modulus")  # type: ignore[arg-type]
