"""Waves in layers, and through several media: errors, estimates and times, beside series and finer solutions.

    python benchmarks/open_space_layers.py [NAME ...]   # writes docs/open_space_layers.csv, or these rows of it, and
                                                        # docs/waves.md
    python benchmarks/open_space_layers.py --picture    # writes docs/images/waves-layers.png alone

Disks are compared with their own series (`open_space_layers_series`), others with a solution for another seed and a
tolerance that is a thousand times smaller. Errors are relative: of the scattered field at random points of the window,
inside of objects too, and of the far field in fifty directions. The optical theorem compares what is missing behind
with what goes elsewhere, where nothing is lost. Times are those of processors.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import process_time

import numpy as np
import sympy as sp
from method_page import DOCS, put
from open_space import TREFOIL, quietly
from open_space_layers_series import Layered, LayeredDisks

import fspielm as fs

sys.path.insert(0, str(DOCS))
from make_pictures import shrink

TABLE = DOCS / "open_space_layers.csv"
_POINTS = 1000
_FINER, _FINEST = 1e-3, 1e-13
_DIRECTION = 0.3
_CENTER = (0.3, 0.2)

x, y = sp.symbols("x y")
u = sp.Function("u")(x, y)


@dataclass(frozen=True)
class Case:
    """Objects in a plane wave, and their series, if there is one."""

    objects: tuple[fs.Domain, ...]
    conditions: tuple[fs.AnyCondition, ...]
    k: float
    tol: float = 1e-10
    series: LayeredDisks | None = None
    lossy: bool = False

    def problem(self) -> fs.Problem:
        """The statement."""
        equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + self.k**2 * u, 0)
        wave = fs.plane_wave(self.k, (math.cos(_DIRECTION), math.sin(_DIRECTION)))
        return fs.Problem(equation, fs.Exterior(*self.objects), self.conditions, incident=wave)


def layered_disks(k: float, *disks: Layered) -> Case:
    """Layered disks, with their series."""
    objects: list[fs.Domain] = []
    conditions: list[fs.AnyCondition] = []
    for number, disk in enumerate(disks):
        for radius, wave, flux in zip(disk.radii, disk.waves, disk.fluxes, strict=True):
            objects.append(fs.Disk(disk.center, radius, name=f"{number}, {radius}"))
            conditions.append(fs.Transparent(wave, flux, on=f"{number}, {radius}.circle"))
        if disk.core is not None:
            objects.append(fs.Disk(disk.center, disk.core[0], name=f"core {number}"))
            kind = {"soft": fs.Dirichlet, "hard": fs.Neumann}[disk.core[1]]
            conditions.append(kind(0, on=f"core {number}.circle"))
    lossy = any(complex(wave).imag for disk in disks for wave in disk.waves)
    orders = int(k * max(disk.radii[0] for disk in disks)) + 45
    series = LayeredDisks(disks, k, _DIRECTION, orders)
    return Case(tuple(objects), tuple(conditions), k, series=series, lossy=lossy)


def _layers(
    k: float, radii: tuple[float, ...], indices: tuple[complex, ...], magnetic: bool = False, core: str = ""
) -> Case:
    """A disk of layers with these indices of refraction, the last radius that of a core that is soft or hard."""
    fluxes = tuple(1 / abs(n) ** 2 if magnetic else 1.0 for n in indices)
    waves = tuple(n * k for n in indices)
    inner = (radii[-1], core) if core else None
    return layered_disks(k, Layered(_CENTER, radii[: len(indices)], waves, fluxes, inner))


def _mixed(k: float) -> Case:
    """Glass, a metal, and a coated soft disk side by side."""
    return layered_disks(
        k,
        Layered((0.0, 0.0), (1.0,), (1.5 * k,), (1.0,)),
        Layered((2.5, 0.5), (0.8,), ((0.2 + 3.4j) * k,), (1.0,)),
        Layered((0.4, 2.6), (1.0,), (1.3 * k,), (1.0,), (0.6, "soft")),
    )


def _trefoil(k: float) -> Case:
    """A trefoil of glass around a smaller one."""
    outer = fs.PolarCurve(TREFOIL.radius, name="outer")
    inner = fs.PolarCurve(TREFOIL.radius * sp.Rational(7, 10), name="inner")
    conditions = fs.Transparent(1.5 * k, on="outer.*"), fs.Transparent(2 * k, on="inner.*")
    return Case((outer, inner), conditions, k)


def _bundle(k: float) -> Case:
    """Seven fibres of glass in one of another glass."""
    centers = [(0.0, 0.0), *((0.58 * math.cos(a), 0.58 * math.sin(a)) for a in np.arange(6) * math.pi / 3)]
    fibres = tuple(fs.Disk(center, 0.2, name=f"fibre {i}") for i, center in enumerate(centers))
    glass = fs.Transparent(1.2 * k, on="cladding.*")
    return Case(
        (fs.Disk((0, 0), 1, name="cladding"), *fibres), (glass, fs.Transparent(1.6 * k, on="fibre*")), k, tol=1e-8
    )


def _lenses(k: float) -> Case:
    """A lens in glass, beside another one and a soft ellipse."""
    objects = (
        fs.Disk((0, 0), 1, name="glass"),
        fs.Disk((0, 0), 0.6, name="lens"),
        fs.Disk((2.6, 0), 0.8, name="other"),
        fs.Ellipse((1.2, 2), (0.9, 0.4), name="soft"),
    )
    conditions = (
        fs.Transparent(1.3 * k, on="glass.*"),
        fs.Transparent(k * (sp.Rational(3, 2) + x / 2), on="lens.*"),
        fs.Transparent(k * sp.sqrt(2 - ((x - 2.6) ** 2 + y**2) / 0.64), on="other.*"),
        fs.Dirichlet(0, on="soft.*"),
    )
    return Case(objects, conditions, k, tol=1e-6)


_METAL = 0.2 + 3.4j
_KINDS: dict[str, Callable[[float], Case]] = {
    "coated, n = 1.5 around 2": lambda k: _layers(k, (1.0, 0.6), (1.5, 2.0)),
    "coated, flux / n^2": lambda k: _layers(k, (1.0, 0.6), (1.5, 2.0), magnetic=True),
    "coated, the core lossy, n = 2 + 0.1 i": lambda k: _layers(k, (1.0, 0.6), (1.5, 2 + 0.1j)),
    "three layers, n = 1.5, 1.2, 2": lambda k: _layers(k, (1.0, 0.7, 0.3), (1.5, 1.2, 2.0)),
    "tube, n = 1.5": lambda k: _layers(k, (1.0, 0.8), (1.5, 1.0)),
    "coated soft core": lambda k: _layers(k, (1.0, 0.7), (1.5,), core="soft"),
}
CASES: dict[str, Callable[[], Case]] = {
    **{f"{name}, ka = {k:g}": partial(make, k) for name, make in _KINDS.items() for k in (1.0, 10.0, 50.0)},
    "coated hard core, ka = 10": lambda: _layers(10.0, (1.0, 0.7), (1.5,), core="hard"),
    "coated metal of n = 0.2 + 3.4 i, ka = 10": lambda: _layers(10.0, (1.0, 0.6), (1.5, _METAL)),
    "glass in a coat of that metal, 0.05, ka = 10": lambda: _layers(10.0, (1.0, 0.95), (_METAL, 1.5)),
    "coat of 0.01, ka = 10": lambda: _layers(10.0, (1.0, 0.99), (2.0, 1.5)),
    "coat of 0.001, ka = 10": lambda: _layers(10.0, (1.0, 0.999), (2.0, 1.5)),
    "glass, metal, and a coated soft disk, ka = 5": lambda: _mixed(5.0),
    "glass, metal, and a coated soft disk, ka = 20": lambda: _mixed(20.0),
    "trefoil of glass in another, k = 10": lambda: _trefoil(10.0),
    "trefoil of glass in another, k = 30": lambda: _trefoil(30.0),
    "seven fibres in one, ka = 20": lambda: _bundle(20.0),
    "a lens in glass, a lens, a soft ellipse, k = 4": lambda: _lenses(4.0),
}


def measure(name: str) -> dict[str, str]:
    """One row of the table."""
    case = CASES[name]()
    problem = case.problem()
    quietly(problem, 1e-2, 0)  # imports what is imported when it is first needed
    began = process_time()
    solution = quietly(problem, case.tol, 0)
    seconds = process_time() - began
    domain, angles = solution.problem.domain, np.linspace(0, 2 * np.pi, 50)
    points = np.random.default_rng(7).uniform(*domain.bounding_box, (_POINTS, 2))
    points = points[domain.contains(points)]
    other = case.series or quietly(problem, max(_FINER * case.tol, _FINEST), 1)
    known, far = other.scattered(points), other.far_field(angles)
    sections = solution.cross_sections()
    row = {
        "problem": name,
        "tol": f"{case.tol:.0e}",
        "functions": f"{solution.report.neurons}",
        "estimate": f"{solution.error_estimate:.1e}",
        "error": f"{np.linalg.norm(solution.scattered(points) - known) / np.linalg.norm(known):.1e}",
        "far field error": f"{np.abs(solution.far_field(angles) - far).max() / np.abs(far).max():.1e}",
        "optical theorem": "" if case.lossy else f"{abs(sections.extinction / sections.scattering - 1):.1e}",
        "seconds": f"{seconds:.1f}",
    }
    print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return row


def draw() -> None:
    """A plane wave in fibres of glass within a fibre, beside a coated soft disk."""
    fibres = _bundle(24.0)
    others = fs.Disk((2.3, 0.9), 0.7, name="coat"), fs.Disk((2.3, 0.9), 0.45, name="core")
    conditions = fs.Transparent(36.0, on="coat.*"), fs.Dirichlet(0, on="core.*")
    objects = (*fibres.objects, *others)
    outside = fs.Exterior(*objects, window=((-1.7, -1.5), (4.1, 2.1)))
    equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + fibres.k**2 * u, 0)
    wave = fs.plane_wave(fibres.k, (math.cos(_DIRECTION), math.sin(_DIRECTION)))
    problem = fs.Problem(equation, outside, [*fibres.conditions, *conditions], incident=wave)
    figure = quietly(problem, 1e-4, 0).plot(width="double", part="abs")
    around = np.linspace(0, 2 * np.pi, 300)
    for disk in objects:
        (cx, cy), r = disk.center, disk.radius
        figure.axes[0].plot(cx + r * np.cos(around), cy + r * np.sin(around), color="white", linewidth=0.6)
    lower, upper = outside.bounding_box
    figure.axes[0].set(xlim=(lower[0], upper[0]), ylim=(lower[1], upper[1]))
    path = DOCS / "images" / "waves-layers.png"
    figure.savefig(path, dpi=200)
    shrink(path)


def main() -> None:
    """Measure all cases, or those named, and write the table; or draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {'; '.join(CASES)}")
    parser.add_argument("--picture", action="store_true", help="draw, and measure nothing")
    arguments = parser.parse_args()
    if arguments.picture:
        draw()
        return
    names, rows = arguments.names, {}
    if names and TABLE.exists():
        with TABLE.open() as file:
            rows = {row["problem"]: row for row in csv.DictReader(file)}
    for name in names or CASES:
        rows[name] = measure(name)
    found = [rows[name] for name in CASES if name in rows]
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(found[0]))
        writer.writeheader()
        writer.writerows(found)
    lines = ["| " + " | ".join(found[0]) + " |", "|" + "---|" * len(found[0])]
    lines += ["| " + " | ".join(row.values()) + " |" for row in found]
    put("layers", "\n".join(lines), DOCS / "waves.md")


if __name__ == "__main__":
    main()
