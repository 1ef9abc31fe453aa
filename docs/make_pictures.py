"""Write one picture of every kind to docs/images, from small problems: python docs/make_pictures.py [FOLDER]."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import sympy as sp
from PIL import Image

import fspielm as fs

x, y, z, t = sp.symbols("x y z t")

KINDS = (
    *("line", "map", "map-hole", "space-time", "lines-over-time", "snapshots", "slices", "isosurface"),
    *("error", "residual", "spectrum", "convergence", "modes"),
)

DRUM = """
title = "An L-shaped drum"
unknown = "u(x, y)"
equation = "-laplacian(u) = lam*u"
parameters = { lam = 1 }
domain = { shape = "LShape" }
conditions = [{ type = "dirichlet", value = 0 }]
"""


def line() -> fs.Solution:
    """Waves in a medium that changes: short, long, short again."""
    u = sp.Function("u")(x)
    equation = sp.Eq(u.diff(x, 2) + (30 + 25 * sp.sin(3 * x)) ** 2 * u, 400)
    conditions = [fs.Dirichlet(0, on="x-"), fs.Dirichlet(1, on="x+")]
    return fs.solve(fs.Problem(equation, fs.Interval(0, 3), conditions), rng=0)


def panda() -> tuple[fs.Solution, sp.Expr]:
    """Waves in a shape with a curved outline; their sum is the exact solution."""
    u = sp.Function("u")(x, y)
    k = 40
    exact = sum(sp.cos(k * (x * sp.cos(a) + y * sp.sin(a)) + a) for a in (0.3, 1.5, 2.8, 4.4))
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0), fs.Panda(), [fs.Dirichlet(exact)])
    return fs.solve(problem, rng=0), exact


def annulus() -> fs.Solution:
    """A temperature between two circles: a field of one sign around a hole."""
    T = sp.Function("T")(x, y)
    conditions = [fs.Dirichlet(1 + 4 * (x**2 - y**2), on="inner"), fs.Dirichlet(0, on="outer")]
    problem = fs.Problem(sp.Eq(T.diff(x, 2) + T.diff(y, 2), 0), fs.Annulus((0, 0), 0.4, 1), conditions)
    return fs.solve(problem, tol=1e-4, rng=0)


def pulse() -> fs.Solution:
    """A pulse that runs apart on a string and comes back from its ends."""
    u = sp.Function("u")(x, t)
    start = sp.exp(-80 * (x - sp.Rational(2, 5)) ** 2)
    conditions = [fs.Dirichlet(0), fs.Initial(start), fs.Initial(0, order=1)]
    problem = fs.Problem(sp.Eq(u.diff(t, 2), u.diff(x, 2)), fs.Interval(0, 1) * fs.Time(0, 2), conditions)
    return fs.solve(problem, tol=1e-2, rng=0)


def ripples() -> fs.Solution:
    """Three waves that cross a shape with a corner."""
    u = sp.Function("u")(x, y, t)
    k = 6
    exact = sum(sp.cos(k * (x * sp.cos(a) + y * sp.sin(a) - t) + a) for a in (0.2, 1.7, 3.9))
    conditions = [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0)), fs.Initial(exact.diff(t).subs(t, 0), order=1)]
    equation = sp.Eq(u.diff(t, 2), u.diff(x, 2) + u.diff(y, 2))
    return fs.solve(fs.Problem(equation, fs.Pacman() * fs.Time(0, 1), conditions), tol=1e-3, rng=0)


def cavity() -> fs.Solution:
    """Sound in a box with a vibrating wall."""
    p = sp.Function("p")(x, y, z)
    wall = sp.sin(sp.pi * y) * sp.sin(2 * sp.pi * z)
    conditions = [fs.Dirichlet(wall, on="x-"), fs.Dirichlet(0, on=["x+", "y-", "y+", "z-", "z+"])]
    equation = sp.Eq(p.diff(x, 2) + p.diff(y, 2) + p.diff(z, 2) + 81 * p, 0)
    problem = fs.Problem(equation, fs.Box((0, 0, 0), (1.6, 1, 1)), conditions)
    return fs.solve(problem, tol=1e-2, budget=fs.Budget(neurons=2500), rng=0)


def corner() -> fs.Solution:
    """A corner that points inward takes several rounds."""
    u = sp.Function("u")(x, y)
    return fs.solve(fs.Problem(sp.Eq(u.diff(x, 2) + u.diff(y, 2), -1), fs.LShape(), [fs.Dirichlet(0)]), rng=0)


def draw_drum(path: Path) -> None:
    """Its first modes, as the command line draws them."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "drum.toml"
        file.write_text(DRUM, encoding="utf-8")
        command = [sys.executable, "-m", "fspielm", "modes", str(file), "--plot", str(path)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def shrink(path: Path) -> None:
    """Keep 256 colours: as good to look at, and a third of the size."""
    with Image.open(path) as image:
        small = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def main() -> None:
    """Solve and draw."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images"
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", fs.AccuracyWarning)  # coarse answers make good pictures
    begun = perf_counter()

    def note(what: str) -> None:
        print(f"{perf_counter() - begun:6.1f} s  {what}", flush=True)

    line().plot(folder / "line.png")
    note("line")
    waves, exact = panda()
    note("solved panda")
    waves.plot(folder / "map.png")
    waves.plot_error(exact, folder / "error.png", resolution=220)
    waves.plot_residual(folder / "residual.png", resolution=220)
    waves.plot_spectrum(folder / "spectrum.png")
    note("map, error, residual, spectrum")
    annulus().plot(folder / "map-hole.png")
    note("map-hole")
    string = pulse()
    string.plot(folder / "space-time.png")
    string.plot(folder / "lines-over-time.png", time=[0, 0.2, 0.4, 0.6])
    note("space-time, lines-over-time")
    waves_in_time = ripples()
    note("solved ripples")
    waves_in_time.plot(folder / "snapshots.png", resolution=160)
    waves_in_time.plot(folder / "animation.gif", resolution=100)
    note("snapshots, animation")
    sound = cavity()
    sound.plot(folder / "slices.png", at=(0.25, 0.5, 0.3))
    sound.plot_isosurface(folder / "isosurface.png")
    note("slices, isosurface")
    corner().plot_convergence(folder / "convergence.png")
    note("convergence")
    draw_drum(folder / "modes.png")
    note("modes")
    for picture in sorted(folder.glob("*.png")):
        if picture.stem in KINDS:
            shrink(picture)


if __name__ == "__main__":
    main()
