"""Surfaces of one value, and their picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fspielm as fs
from fspielm.errors import ProblemError
from fspielm.solution.plot.isosurface import level_surface


def ball(n: int) -> tuple[Any, np.ndarray]:
    """Distances from the middle of a cube."""
    axis = np.linspace(-1, 1, n)
    return (axis, axis, axis), np.sqrt(sum(a**2 for a in np.meshgrid(axis, axis, axis, indexing="ij")))


def areas(triangles: np.ndarray) -> np.ndarray:
    a, b, c = np.moveaxis(triangles, 1, 0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def test_the_surface_of_a_ball_converges_at_second_order() -> None:
    errors = []
    for n in (11, 21, 41):
        axes, distances = ball(n)
        errors.append(abs(areas(level_surface(distances, axes, 0.7)).sum() / (4 * np.pi * 0.49) - 1))
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert rates == pytest.approx([2, 2], abs=0.5)


def test_a_plane_is_exact_and_closed() -> None:
    axes = (np.linspace(0, 1, 4), np.linspace(0, 2, 5), np.linspace(0, 1, 6))
    x, y, z = np.meshgrid(*axes, indexing="ij")
    triangles = level_surface(x + 0.3 * y + 0.2 * z, axes, 0.61)
    np.testing.assert_allclose(triangles @ [1, 0.3, 0.2], 0.61, atol=1e-14)
    # over the projection along x: 0.61 - 0.3 y - 0.2 z lies between 0 and 1 for all z where y < 1.37
    (y1, z1), (y2, z2) = ((triangles[:, corner] - triangles[:, 0])[:, 1:].T for corner in (1, 2))
    shadows = np.abs(y1 * z2 - y2 * z1)
    heights = (0.61 - 0.2 * np.linspace(0, 1, 100001)) / 0.3
    assert shadows.sum() / 2 == pytest.approx(np.minimum(heights, 2).mean(), rel=1e-4)


def test_cells_without_values_are_left_out() -> None:
    axes, distances = ball(21)
    whole = areas(level_surface(distances, axes, 0.7)).sum()
    distances[:10] = np.nan
    assert areas(level_surface(distances, axes, 0.7)).sum() == pytest.approx(whole / 2, rel=1e-9)


def test_the_picture(cube: fs.Solution, tmp_path: Path) -> None:
    figure: Any = cube.plot_isosurface(tmp_path / "a.png", resolution=8)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    (panel,) = figure.axes
    assert (panel.get_xlabel(), panel.get_ylabel(), panel.get_zlabel()) == ("$x$", "$y$", "$z$")
    assert float(figure.get_suptitle().removeprefix("$u$ = ")) == pytest.approx(2.5, abs=0.05)
    assert cube.plot_isosurface(level=1.5, resolution=8).get_suptitle() == "$u$ = 1.5"


def test_what_has_no_surface_is_refused(cube: fs.Solution, square: fs.Solution) -> None:
    with pytest.raises(ProblemError, match=r"level.*between.*got 9"):
        cube.plot_isosurface(level=9, resolution=8)
    with pytest.raises(ProblemError, match=r"isosurface.*three.*u\(x, y\)"):
        square.plot_isosurface()
