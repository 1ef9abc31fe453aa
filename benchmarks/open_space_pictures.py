"""Pictures of waves outside of objects.

python benchmarks/open_space_pictures.py   # writes docs/images/waves-*.png
"""

from __future__ import annotations

import math
import sys

import numpy as np
import sympy as sp
from method_page import DOCS
from open_space import SPLIT_RING, TREFOIL, quietly, resonance

import fspielm as fs

sys.path.insert(0, str(DOCS))
from make_pictures import shrink

IMAGES = DOCS / "images"

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)


def scatter(
    k: float, domain: fs.Domain, incident: fs.Incident, tol: float = 1e-6, condition: fs.AnyCondition | None = None
) -> fs.Solution:
    """Objects in what comes in, sound-soft unless said otherwise."""
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0)
    return quietly(fs.Problem(equation, domain, [condition or fs.Dirichlet(0)], incident=incident), tol, 0)


def crystal() -> list[fs.Domain]:
    """Disks in rows, with a row left out that a beam can go along."""
    rows = [(i, j) for j in range(-3, 4) for i in range(9) if j != 0]
    return [fs.Disk((i + 0.5 * (j % 2), math.sqrt(0.75) * j), 0.3) for i, j in rows]


def main() -> None:
    """Draw all."""
    trefoil = fs.Exterior(TREFOIL, window=((-2.5, -2), (2.5, 2)))
    scatter(30.0, trefoil, fs.plane_wave(30.0, (1, 0.3))).plot(IMAGES / "waves-trefoil.png", width="double")
    glass = scatter(30.0, trefoil, fs.plane_wave(30.0, (1, 0.3)), condition=fs.Transparent(45.0))
    figure = glass.plot(width="double", part="abs")
    (rim,) = (part.place(np.linspace(0, 1, 500)[:, None]).points for part in trefoil.boundary())
    figure.axes[0].plot(*rim.T, color="white", linewidth=0.8)
    figure.savefig(IMAGES / "waves-glass.png", dpi=200)
    draw_lens()
    draw_grating()
    disks = fs.Exterior(*crystal(), window=((-2.5, -3.6), (11, 3.6)))
    beam = fs.beam(9.0, (1, 0), (-1.5, 0), 0.6)
    scatter(9.0, disks, beam).plot(IMAGES / "waves-beam.png", width="double", part="abs")
    ring = fs.Exterior(SPLIT_RING, window=((-2.5, -2), (2.5, 2)))
    k = resonance()
    wave = fs.plane_wave(k, (math.cos(0.2), math.sin(0.2)))
    scatter(k, ring, wave).plot(IMAGES / "waves-resonance.png", width="double", part="abs")
    square = fs.Exterior(fs.Box((0, 0), (1, 1)), window=((-0.6, -0.5), (1.8, 1.5)))
    source = fs.point_source(50.0, (-0.35, 1.2))
    scatter(50.0, square, source).plot(IMAGES / "waves-square.png", width="double")
    angles = np.linspace(0, 2 * np.pi, 721)
    draw_far_field(angles, np.abs(scatter(30.0, trefoil, fs.plane_wave(30.0, (1, 0.3))).far_field(angles)) ** 2)
    draw_balls()
    for path in IMAGES.glob("waves-*.png"):
        shrink(path)


def draw_lens() -> None:
    """A Luneburg lens, which focuses a plane wave on its rim."""
    k = 40.0
    lens = fs.Transparent(k * sp.sqrt(2 - x**2 - y**2))
    domain = fs.Exterior(fs.Disk((0, 0), 1), window=((-1.6, -1.3), (2.6, 1.3)))
    solution = scatter(k, domain, fs.plane_wave(k, (1, 0)), tol=1e-3, condition=lens)
    figure = solution.plot(width="double", part="real")
    around = np.linspace(0, 2 * np.pi, 300)
    figure.axes[0].plot(np.cos(around), np.sin(around), color="black", linewidth=0.8)
    figure.savefig(IMAGES / "waves-lens.png", dpi=200)


def draw_grating() -> None:
    """Trefoils of glass in a row."""
    k = 10.0
    domain = fs.Exterior(TREFOIL, period=3.0, window=((-7.5, -4), (7.5, 4)))
    solution = scatter(k, domain, fs.plane_wave(k, (0.45, -1)), condition=fs.Transparent(15.0))
    figure = solution.plot(width="double", part="real")
    (rim,) = (part.place(np.linspace(0, 1, 500)[:, None]).points for part in domain.boundary())
    for copy in range(-3, 4):
        figure.axes[0].plot(rim[:, 0] + 3.0 * copy, rim[:, 1], color="black", linewidth=0.8)
    figure.axes[0].set_xlim(-7.5, 7.5)
    figure.savefig(IMAGES / "waves-grating.png", dpi=200)


def draw_balls() -> None:
    """A hard ball and a spheroid in space, in slices."""
    z, k = sp.Symbol("z"), 8.0
    v = sp.Function("u")(x, y, z)
    objects = fs.Ball((0, 0, -1.2), 1), fs.Ellipsoid((0, 0, 1.4), (1, 1, 0.7)).rotated(0.4, axis="y")
    outside = fs.Exterior(*objects, window=((-2, -2, -3.2), (2, 2, 3.2)))
    equation = sp.Eq(v.diff(x, 2) + v.diff(y, 2) + v.diff(z, 2) + k**2 * v, 0)
    problem = fs.Problem(equation, outside, [fs.Neumann(0)], incident=fs.plane_wave(k, (0, 0, 1)))
    quietly(problem, 1e-3, 0).plot(IMAGES / "waves-balls.png", at=(0, 0, 0.1), width="double")


def draw_far_field(angles: np.ndarray, strengths: np.ndarray) -> None:
    """Where the trefoil sends a wave."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.5, 3.5), layout="constrained")
    axes = figure.add_subplot(projection="polar")
    axes.plot(angles, 10 * np.log10(strengths), color="#24406e", linewidth=1.0)
    axes.set_rlim(-25, 20)
    axes.set_rticks([-20, -10, 0, 10])
    axes.set_rlabel_position(300)
    axes.tick_params(labelsize=7)
    axes.set_title("|far field|² of the trefoil, dB", fontsize=9)
    figure.savefig(IMAGES / "waves-far-field.png", dpi=200)


if __name__ == "__main__":
    main()
