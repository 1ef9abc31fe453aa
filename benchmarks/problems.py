"""One problem for every kind of shape and condition, solved automatically against a known solution.

    python benchmarks/problems.py run               # solve all of them, and write docs/problems.csv
    python benchmarks/problems.py run NAME ...      # solve some; with --keep their rows go into docs/problems.csv
    python benchmarks/problems.py report            # docs/problems.csv -> docs/problems.md
    python benchmarks/problems.py list

The solver gets the equation, the domain and the data; the known solution only measures. None of the solutions is a
product of functions of one coordinate each. Problems of several unknowns or of complex values are in `field_problems`;
there the error is the largest of all unknowns, and what nothing determines (the constant of a pressure) does not count.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import sympy as sp
from field_problems import FIELD_EXAMPLES, FieldExample
from numpy.typing import NDArray

import fspielm as fs
from fspielm.expr import make_field

DOCS = Path(__file__).resolve().parent.parent / "docs"
TABLE = DOCS / "problems.csv"
PAGE = DOCS / "problems.md"
COLUMNS = ("name", "wavelengths", "tol", "error", "estimate", "converged", "neurons", "rounds", "seconds")
_CHECKS = 5000

x, y, z, t = sp.symbols("x y z t", real=True)
Exact = sp.Expr | Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Example:
    """A problem and its solution.

    Attributes
    ----------
    problem : fs.Problem
    exact : Expr or callable
    wavelengths : float
        How many fit across the domain, roughly; zero where nothing oscillates.
    tol : float
    """

    problem: fs.Problem
    exact: Exact
    wavelengths: float = 0.0
    tol: float = 1e-8

    def error(self, solution: Callable[[NDArray[np.float64]], NDArray[Any]], points: NDArray[np.float64]) -> float:
        """Relative, in L2."""
        exact = make_field(self.exact, self.problem.coordinates)(points)
        return float(np.linalg.norm(solution(points) - exact) / np.linalg.norm(exact))


EXAMPLES: dict[str, tuple[str, Callable[[], Example]]] = {}


def example(name: str, what: str) -> Callable[[Callable[[], Example]], Callable[[], Example]]:
    """Register the function that makes an example."""

    def register(make: Callable[[], Example]) -> Callable[[], Example]:
        EXAMPLES[name] = (what, make)
        return make

    return register


# --- statements --------------------------------------------------------------------------------------------


def unknown(*coordinates: sp.Symbol) -> Any:
    """The unknown function of these coordinates."""
    return sp.Function("u")(*coordinates)


def laplacian(f: Any, *space: sp.Symbol) -> Any:
    """The sum of second derivatives."""
    return sum(f.diff(s, 2) for s in space)


def slope(f: Any, normal: Sequence[Any], *space: sp.Symbol) -> Any:
    """The derivative along a normal."""
    return sum(n * f.diff(s) for n, s in zip(normal, space, strict=True))


def bent(k: float) -> sp.Expr:
    """A wave whose fronts bend and whose size grows."""
    return sp.exp(x / 2) * sp.sin(k * (x + y**2 / 2))


def point_source(k: float, at: Sequence[float], *space: sp.Symbol) -> sp.Expr:
    """A real solution of Helmholtz' equation everywhere but at one point outside the domain."""
    r = sp.sqrt(sum((s - a) ** 2 for s, a in zip(space, at, strict=True)))
    return sp.bessely(0, k * r) if len(space) == 2 else sp.cos(k * r) / r


def clamped(exact: sp.Expr, source: sp.Expr | None = None) -> fs.Problem:
    """A square plate, its value and slope along the rim those of `exact`; `source` where it is simpler than derived."""
    u = unknown(x, y)
    forward = [
        fs.Neumann(sign * exact.diff(s), on=f"{s}{side}") for s in (x, y) for side, sign in (("-", -1), ("+", 1))
    ]
    if source is None:
        source = laplacian(laplacian(exact, x, y), x, y)
    equation = sp.Eq(laplacian(laplacian(u, x, y), x, y), source)
    return fs.Problem(equation, fs.Box((0, 0), (1, 1)), [fs.Dirichlet(exact), *forward])


# --- the problems ------------------------------------------------------------------------------------------


@example("polygon with two holes", "Poisson, Dirichlet")
def polygon() -> Example:
    """A block of land with two ponds."""
    u, exact = unknown(x, y), bent(32.0)
    domain = fs.Polygon(
        [(0, 0), (2, 0), (2.3, 1.1), (1.2, 1.6), (-0.2, 1.2)],
        holes=[[(0.4, 0.3), (0.8, 0.35), (0.6, 0.7)], [(1.3, 0.5), (1.7, 0.5), (1.7, 0.9), (1.3, 0.9)]],
    )
    equation = sp.Eq(-laplacian(u, x, y), -laplacian(exact, x, y))
    return Example(fs.Problem(equation, domain, [fs.Dirichlet(exact)]), exact, 13)


@example("GeoJSON import", "Poisson, Dirichlet; an island read from a file")
def geojson() -> Example:
    """An island of forty shore points."""
    u = unknown(x, y)
    exact = sp.sin(11 * (x**2 + y**2)) + x * sp.cos(20 * y + 3 * x)
    angle = 2 * np.pi * np.arange(40) / 40
    radius = 1 + 0.15 * np.cos(3 * angle) + 0.05 * np.sin(11 * angle)
    shore = np.column_stack([radius * np.cos(angle), 0.8 * radius * np.sin(angle)]).round(3).tolist()
    island = {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [[*shore, shore[0]]]}}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "island.geojson"
        path.write_text(json.dumps(island), encoding="utf-8")
        domain = fs.Polygon.from_geojson(path)
    equation = sp.Eq(-laplacian(u, x, y), -laplacian(exact, x, y))
    return Example(fs.Problem(equation, domain, [fs.Dirichlet(exact)]), exact, 10)


@example("annulus", "Helmholtz, Neumann inside, Dirichlet outside")
def annulus() -> Example:
    """Sound around a rigid cylinder."""
    u, k = unknown(x, y), 32.0
    exact = point_source(k, (2.0, 1.0), x, y) + sp.cos(k * (0.6 * x + 0.8 * y))
    inner = 0.4
    domain = fs.Annulus((0, 0), inner, 1)
    inward = (-x / inner, -y / inner)
    conditions = [fs.Neumann(slope(exact, inward, x, y), on="inner"), fs.Dirichlet(exact, on="outer")]
    return Example(fs.Problem(sp.Eq(laplacian(u, x, y) + k**2 * u, 0), domain, conditions), exact, 10)


@example("ellipse", "Helmholtz with a Robin condition")
def ellipse() -> Example:
    """An impedance that varies along the rim."""
    u, k = unknown(x, y), 20.0
    exact = bent(20.0)
    a, b = 1.6, 0.8
    outward = (x / a**2, y / b**2)
    size = sp.sqrt(outward[0] ** 2 + outward[1] ** 2)
    alpha = 3 + x
    value = alpha * exact + slope(exact, [n / size for n in outward], x, y)
    source = laplacian(exact, x, y) + k**2 * exact
    equation = sp.Eq(laplacian(u, x, y) + k**2 * u, source)
    return Example(fs.Problem(equation, fs.Ellipse((0, 0), (a, b)), [fs.Robin(alpha, 1, value)]), exact, 10)


@example("periodic advection", "advection in time, periodic in space")
def advection() -> Example:
    """A modulated wave goes around."""
    u = unknown(x, t)
    exact = sp.exp(sp.cos(2 * sp.pi * (x - t))) * sp.sin(20 * sp.pi * (x - t) + t**2)
    equation = sp.Eq(u.diff(t) + u.diff(x), exact.diff(t) + exact.diff(x))
    domain = fs.Interval(0, 1) * fs.Time(0, 1)
    return Example(fs.Problem(equation, domain, [fs.Periodic("x"), fs.Initial(exact.subs(t, 0))]), exact, 12)


@example("clamped plate", "biharmonic, value and normal derivative on the rim")
def plate() -> Example:
    """A plate bent in waves."""
    return Example(clamped(bent(25.0)), bent(25.0), 6)


@example("heat on a CSG shape", "heat in time on a box without a disk, joined to another box")
def heat() -> Example:
    """A plate with a notch and a handle."""
    u = unknown(x, y, t)
    exact = sp.exp(-t) * sp.sin(5 * (x + y**2 / 2 + t / 2)) + x * y
    space = (fs.Box((0, 0), (1, 1)) - fs.Disk((1, 1), 0.4)) | fs.Box((-0.5, 0.2), (0, 0.6))
    equation = sp.Eq(u.diff(t) - laplacian(u, x, y), exact.diff(t) - laplacian(exact, x, y))
    conditions = [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0))]
    return Example(fs.Problem(equation, space * fs.Time(0, 0.5), conditions), exact, 1.5)


@example("STL solid", "Laplace in a curved body of 1280 facets read from a file")
def stl() -> Example:
    """The potential of a charge outside a pebble."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=3)
    p = ball.vertices
    stretched = p * (1 + 0.2 * np.sin(2 * p[:, [0]] + p[:, [1]])) * np.array([1.0, 0.8, 0.6])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pebble.stl"
        trimesh.Trimesh(stretched, ball.faces).export(path)
        domain = fs.Surface.load(path)
    u = unknown(x, y, z)
    exact = 1 / sp.sqrt((x - 2) ** 2 + (y - 1) ** 2 + (z - 1) ** 2) + x * y * z
    return Example(fs.Problem(sp.Eq(laplacian(u, x, y, z), 0), domain, [fs.Dirichlet(exact)]), exact)


@example("ball", "Helmholtz in the unit ball at k = 10")
def ball() -> Example:
    """Sound of a point source outside."""
    u, k = unknown(x, y, z), 10.0
    exact = point_source(k, (1.5, 1.0, 1.0), x, y, z)
    equation = sp.Eq(laplacian(u, x, y, z) + k**2 * u, 0)
    return Example(fs.Problem(equation, fs.Ball((0, 0, 0), 1), [fs.Dirichlet(exact)]), exact, 3.2)


@example("variable coefficients", "diffusion in a medium that varies, on a disk")
def medium() -> Example:
    """Diffusion whose coefficient is a function of both coordinates."""
    u, exact = unknown(x, y), bent(32.0)
    a = 1 + x**2 / 2 + sp.sin(3 * y + x) / 4

    def flow(f: Any) -> Any:
        return -(a * f.diff(x)).diff(x) - (a * f.diff(y)).diff(y)

    return Example(fs.Problem(sp.Eq(flow(u), flow(exact)), fs.Disk((0, 0), 1), [fs.Dirichlet(exact)]), exact, 10)


@example("mixed faces", "Poisson, Dirichlet on two faces, Neumann on two")
def mixed() -> Example:
    """A box with two insulated faces, more or less."""
    u, exact = unknown(x, y), bent(50.0)
    conditions = [
        fs.Dirichlet(exact, on=["x-", "y+"]),
        fs.Neumann(exact.diff(x), on="x+"),
        fs.Neumann(-exact.diff(y), on="y-"),
    ]
    equation = sp.Eq(-laplacian(u, x, y), -laplacian(exact, x, y))
    return Example(fs.Problem(equation, fs.Box((0, 0), (1, 1)), conditions), exact, 10)


@example("L-shape", "Laplace with the singular solution r^(2/3) sin(2 theta / 3)")
def l_shape() -> Example:
    """The corner is found, and gets its singular functions."""
    u = unknown(x, y)

    def exact(points: NDArray[np.float64]) -> NDArray[np.float64]:
        theta = np.arctan2(points[:, 1], points[:, 0])
        theta = np.where(theta < -1e-12, theta + 2 * math.pi, np.maximum(theta, 0.0))
        return np.asarray(np.hypot(*points.T) ** (2 / 3) * np.sin(2 / 3 * theta))

    return Example(fs.Problem(sp.Eq(laplacian(u, x, y), 0), fs.LShape(), [fs.Dirichlet(exact)]), exact)


@example("curve", "convection and diffusion within a parametric curve")
def curve() -> Example:
    """A bean in a wind."""
    u, exact = unknown(x, y), bent(36.0)
    s = sp.Symbol("s", real=True)
    domain = fs.Curve(sp.cos(s) + 0.2 * sp.cos(2 * s), 0.8 * sp.sin(s), (0, 2 * sp.pi))

    def wind(f: Any) -> Any:
        return -laplacian(f, x, y) + 10 * f.diff(x) - 5 * y * f.diff(y)

    return Example(fs.Problem(sp.Eq(wind(u), wind(exact)), domain, [fs.Dirichlet(exact)]), exact, 12)


@example("waves on a turned ellipse", "waves in time on a rotated ellipse, slope zero on half of the rim")
def membrane() -> Example:
    """A drum with a varying rim."""
    u = unknown(x, y, t)
    exact = sp.sin(4 * (x + y**2 / 3 - t)) * sp.exp(y / 3)
    domain = fs.Ellipse((0, 0), (1.0, 0.7)).rotated(0.4, center=(0, 0)) * fs.Time(0, 1)
    equation = sp.Eq(u.diff(t, 2) - laplacian(u, x, y), exact.diff(t, 2) - laplacian(exact, x, y))
    conditions = [fs.Dirichlet(exact), fs.Initial(exact.subs(t, 0)), fs.Initial(exact.diff(t).subs(t, 0), order=1)]
    return Example(fs.Problem(equation, domain, conditions), exact, 1.3)


@example("cylinder", "screened Poisson in a cylinder, Neumann on its side")
def cylinder() -> Example:
    """Heat loss in a rod."""
    u = unknown(x, y, z)
    exact = sp.exp(x / 2) * sp.sin(3 * (z + x * y))
    conditions = [
        fs.Dirichlet(exact, on=["bottom", "top"]),
        fs.Neumann(slope(exact, (x / 0.5, y / 0.5), x, y), on="side"),
    ]
    equation = sp.Eq(-laplacian(u, x, y, z) + 4 * u, -laplacian(exact, x, y, z) + 4 * exact)
    return Example(fs.Problem(equation, fs.Cylinder((0, 0, 0), 0.5, 2), conditions), exact, 1)


@example("sensors", "pure Neumann Poisson, made unique by one measured value")
def sensors() -> Example:
    """Fluxes all around, and a thermometer."""
    u, exact = unknown(x, y), bent(32.0)
    at = np.array([[0.3, -0.2]])
    conditions = [
        fs.Neumann(slope(exact, (x, y), x, y)),
        fs.Measured(at, make_field(exact, (x, y))(at)),
    ]
    equation = sp.Eq(-laplacian(u, x, y), -laplacian(exact, x, y))
    return Example(fs.Problem(equation, fs.Disk((0, 0), 1), conditions), exact, 10)


# --- running and telling -----------------------------------------------------------------------------------


def every() -> dict[str, tuple[str, Callable[[], Example | FieldExample]]]:
    """What there is, of one real unknown first."""
    return {**EXAMPLES, **FIELD_EXAMPLES}


def measure(name: str) -> dict[str, Any]:
    """Solve one of the problems; what there is to tell of it."""
    made = every()[name][1]()
    begun = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        solution = fs.solve(made.problem, tol=made.tol, rng=0)
    seconds = perf_counter() - begun
    points = made.problem.domain.sample(_CHECKS, np.random.default_rng(1))
    return {
        "name": name,
        "wavelengths": made.wavelengths,
        "tol": made.tol,
        "error": made.error(solution, points),
        "estimate": solution.error_estimate,
        "converged": solution.converged,
        "neurons": solution.report.neurons,
        "rounds": len(solution.report.rounds),
        "seconds": seconds,
        "reason": solution.report.reason,
    }


def run(names: Sequence[str], keep: bool) -> None:
    """Solve the problems named, or all, one line each; their rows go into the table, now and then."""
    measured = {}
    for name in names or list(every()):
        row = measured[name] = measure(name)
        print(
            f"{name:<34} error {row['error']:.1e}  estimate {row['estimate']:.1e}  {row['converged']!s:<5} "
            f"{row['neurons']:5d} functions {row['rounds']:2d} rounds {row['seconds']:6.1f} s",
            flush=True,
        )
        if not row["converged"]:
            print(f"    {row['reason']}")
    if keep or not names:
        _put_into_table({name: _written(row) for name, row in measured.items()})


def _written(row: dict[str, Any]) -> dict[str, Any]:
    digits = {key: f"{row[key]:.2e}" for key in ("tol", "error", "estimate")}
    return row | digits | {"seconds": f"{row['seconds']:.1f}"}


def _put_into_table(new: dict[str, dict[str, Any]]) -> None:
    """Rows in the place of those with the same names, in the order of the problems."""
    known = {row["name"]: row for row in table()} | new
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(known[name] for name in every() if name in known)


def table() -> list[dict[str, Any]]:
    """The rows so far."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def report() -> None:
    """Write the page from the table."""
    lines = [
        "# Problems solved",
        "",
        "Made by `python benchmarks/problems.py`: for every kind of shape and condition one problem with a known",
        "solution, never a product of functions of one coordinate each. `fs.solve(problem)` gets the equation,",
        "the domain and the data, and nothing else; errors are relative, in L2 over the whole domain, time included;",
        "of several unknowns the largest counts, but for what nothing determines, as the constant of a pressure.",
        "Seconds are an illustration, on two cores of a small machine.",
        "",
        "Tables of their own have [nonlinear problems](nonlinear.md#measured), [media, materials, corners, sources",
        "and layers](patches.md), [waves in open space](waves.md), [eigenvalues](eigenvalues.md) and",
        "[branches](branches.md).",
        "",
        "| problem | | wavelengths across | true error | estimate | converged | functions | s |",
        "|---|---|--:|--:|--:|---|--:|--:|",
    ]
    for row in table():
        across = f"{float(row['wavelengths']):g}" if float(row["wavelengths"]) else ""
        verdict = "yes" if row["converged"] == "True" else "no"
        lines.append(
            f"| {row['name']} | {every()[row['name']][0]} | {across} | {float(row['error']):.1e} | "
            f"{float(row['estimate']):.1e} | {verdict} | {row['neurons']} | {row['seconds']} |"
        )
    PAGE.write_text("\n".join([*lines, ""]), encoding="utf-8")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "report", "list"])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--keep", action="store_true", help="put the rows of the problems named into the table")
    arguments = parser.parse_args()
    if unknown_names := set(arguments.names) - set(every()):
        parser.error(f"no problem {sorted(unknown_names)[0]!r}; there are {', '.join(every())}")
    if arguments.command == "run":
        run(arguments.names, arguments.keep)
    elif arguments.command == "report":
        report()
    else:
        print("\n".join(f"{name:<34} {what}" for name, (what, _) in every().items()))


if __name__ == "__main__":
    main()
