"""Waves outside of objects: errors, estimates and times, beside series and finer solutions.

    python benchmarks/open_space.py [NAME ...]   # writes docs/open_space.csv, or these rows of it, and docs/waves.md
    python benchmarks/open_space.py --page       # the table of docs/waves.md alone

Disks, balls and Luneburg's lens are compared with their own series (`open_space_series`, `open_space_balls`); others
with a solution for another seed and a tolerance that is a thousand times smaller (in space, a hundred times), whose
functions are more, and elsewhere; a spheroid also with the field of a source within. Errors are relative: of the
scattered field at random points of the window, and of the far field in fifty directions. The optical theorem compares
what is missing behind with what goes elsewhere, reciprocity two directions with their reverses. Of gratings, amplitudes
of orders take the place of the far field, and what is missing of the power that of the theorem. Times are those of
processors, in units of a real QR factorisation of 6000 rows and 3000 columns in the same run.
"""

from __future__ import annotations

import argparse
import csv
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from time import process_time

import numpy as np
import scipy.linalg
import sympy as sp
from method_page import DOCS, put
from open_space_bodies import SPACE_CASES, SpaceCase, Within
from open_space_series import Disks, Floats, LuneburgLens, RowOfDisks, TransparentDisk

import fspielm as fs

TABLE = DOCS / "open_space.csv"
COLUMNS = (
    "name",
    "tol",
    "functions",
    "estimate",
    "error",
    "far_field_error",
    "optical_theorem",
    "reciprocity",
    "seconds",
    "reference_qrs",
)
_POINTS = 1000
_FINER, _FINER_IN_SPACE = 1e-3, 1e-2

x, y, t = sp.symbols("x y t")
u = sp.Function("u")(x, y)
TREFOIL = fs.PolarCurve(1 + sp.Rational(3, 10) * sp.cos(3 * t))
# A ring of thickness 0.5 at most with a mouth, r = 1 + a sin s at the angle (pi - b) cos s, that opens to the left.
_RADIUS, _ANGLE = 1 + sp.Rational(1, 4) * sp.sin(t), (sp.pi - sp.Rational(1, 10)) * sp.cos(t)
SPLIT_RING = fs.Curve(_RADIUS * sp.cos(_ANGLE), -_RADIUS * sp.sin(_ANGLE), (0, 2 * sp.pi))


@dataclass(frozen=True)
class Case:
    """Objects in a plane wave, and their series, if there is one."""

    objects: tuple[fs.Domain, ...]
    k: float
    condition: fs.AnyCondition = fs.Dirichlet(0)  # noqa: RUF009  # never changed
    direction: float = 0.3
    other: float = 2.1
    tol: float = 1e-10
    series: Disks | LuneburgLens | TransparentDisk | None = None

    def problem(self, direction: float | None = None) -> fs.Problem:
        """For a wave that goes in some direction."""
        angle = self.direction if direction is None else direction
        return fs.Problem(
            sp.Eq(u.diff(x, 2) + u.diff(y, 2) + self.k**2 * u, 0),
            fs.Exterior(*self.objects),
            [self.condition],
            incident=fs.plane_wave(self.k, (math.cos(angle), math.sin(angle))),
        )

    @property
    def angles(self) -> Floats:
        """Directions to look at."""
        return np.linspace(0, 2 * np.pi, 50)

    def opposite(self, direction: float) -> float:
        """The reverse of a direction."""
        return direction + math.pi


def _disks(centers: list[tuple[float, float]], k: float, kind: str, orders: int) -> Case:
    condition, alpha, beta = {
        "soft": (fs.Dirichlet(0), 1.0, 0.0),
        "hard": (fs.Neumann(0), 0.0, 1.0),
        "impedance": (fs.Robin(-0.5j * k, 1, 0), -0.5j * k, 1.0),
    }[kind]
    series = Disks(np.array(centers), 1.0, k, Case.direction, alpha, beta, orders)
    return Case(tuple(fs.Disk(center, 1) for center in centers), k, condition, tol=1e-11, series=series)


def _lets_through(k: float, index: complex, flux: float = 1.0) -> Case:
    """A disk of this index of refraction."""
    series = TransparentDisk((0.3, 0.2), 1.0, k, index * k, flux, Case.direction, math.ceil(k) + 50)
    return Case((fs.Disk((0.3, 0.2), 1),), k, fs.Transparent(index * k, flux), series=series)


def _luneburg(wavelengths: float) -> Case:
    """A lens that focuses plane waves on its rim, so many wavelengths across."""
    k = math.pi * wavelengths
    lens = fs.Transparent(k * sp.sqrt(2 - x**2 - y**2))
    return Case((fs.Disk((0, 0), 1),), k, lens, tol=1e-8, series=LuneburgLens(k, Case.direction))


@dataclass(frozen=True)
class Grating:
    """Objects at equal distances in a plane wave, and their series, if there is one."""

    object: fs.Domain
    period: float
    k: float
    condition: fs.AnyCondition
    tol: float = 1e-10
    direction: float = -1.1
    series: RowOfDisks | None = None

    def problem(self) -> fs.Problem:
        """One period of it."""
        return fs.Problem(
            sp.Eq(u.diff(x, 2) + u.diff(y, 2) + self.k**2 * u, 0),
            fs.Exterior(self.object, period=self.period),
            [self.condition],
            incident=fs.plane_wave(self.k, (math.cos(self.direction), math.sin(self.direction))),
        )


def _row(kind: str) -> Grating:
    """Disks at a distance of three radii, k a = 5."""
    condition = {"soft": fs.Dirichlet(0), "hard": fs.Neumann(0), "n = 1.5": fs.Transparent(7.5)}[kind]
    series = RowOfDisks(1.0, 5.0, 3.0, Grating.direction, kind)
    return Grating(fs.Disk((0, 0), 1), 3.0, 5.0, condition, series=series)


def _forty() -> list[tuple[float, float]]:
    """Five rows of eight, each disk off its place by up to 0.2."""
    off = np.random.default_rng(5).uniform(-0.2, 0.2, (40, 2))
    return [(3.0 * (i % 8) + float(a), 3.0 * (i // 8) + float(b)) for i, (a, b) in enumerate(off)]


CASES: dict[str, Callable[[], Case | Grating | SpaceCase]] = {
    **{
        f"disk, {kind}, ka = {ka}": lambda kind=kind, ka=ka: _disks([(0.3, 0.2)], float(ka), kind, ka + 40)  # type: ignore[misc]
        for kind in ("soft", "hard", "impedance")
        for ka in (1, 10, 50)
    },
    **{f"disk, n = 1.5, ka = {ka}": lambda ka=ka: _lets_through(float(ka), 1.5) for ka in (1, 10, 50)},  # type: ignore[misc]
    "disk, n = 1.5, flux / n^2, ka = 10": lambda: _lets_through(10.0, 1.5, 1 / 2.25),
    **{
        f"disk, a metal of n = 0.2 + 3.4 i, ka = {ka}": lambda ka=ka: _lets_through(float(ka), 0.2 + 3.4j)  # type: ignore[misc]
        for ka in (1, 10, 50)
    },
    "Luneburg lens, 5 wavelengths": lambda: _luneburg(5.0),
    "Luneburg lens, 20 wavelengths": lambda: _luneburg(20.0),
    "disk, n = 1.5 + 0.3 x, ka = 10": lambda: Case(
        (fs.Disk((0, 0), 1),), 10.0, fs.Transparent(10 * (sp.Rational(3, 2) + 0.3 * x)), tol=1e-6
    ),
    "two disks, soft, ka = 5": lambda: _disks([(0.0, 0.0), (2.2, 0.4)], 5.0, "soft", 60),
    "forty disks, soft, ka = 5": lambda: replace(_disks(_forty(), 5.0, "soft", 40), tol=1e-8),
    "trefoil, soft, k = 30": lambda: Case((TREFOIL,), 30.0, tol=1e-11),
    "trefoil, hard, k = 30": lambda: Case((TREFOIL,), 30.0, fs.Neumann(0), tol=1e-11),
    "trefoil, n = 1.5, k = 30": lambda: Case((TREFOIL,), 30.0, fs.Transparent(45.0)),
    "square, n = 1.5, k = 10": lambda: Case((fs.Box((0, 0), (1, 1)),), 10.0, fs.Transparent(15.0), tol=1e-5),
    "square, soft, k = 50": lambda: Case((fs.Box((0, 0), (1, 1)),), 50.0, tol=1e-8),
    "square, hard, k = 10": lambda: Case((fs.Box((0, 0), (1, 1)),), 10.0, fs.Neumann(0), tol=1e-5),
    "split ring at its resonance": lambda: Case((SPLIT_RING,), resonance(), direction=0.2, tol=1e-8),
    "split ring beside it": lambda: Case((SPLIT_RING,), resonance() + 0.1, direction=0.2, tol=1e-8),
    **{f"grating of disks, {kind}": lambda kind=kind: _row(kind) for kind in ("soft", "hard", "n = 1.5")},  # type: ignore[misc]
    "grating of trefoils, n = 1.5": lambda: Grating(TREFOIL, 3.0, 10.0, fs.Transparent(15.0)),
    "grating of squares, soft": lambda: Grating(fs.Box((0, 0), (1, 1)), 1.5, 5.0, fs.Dirichlet(0), tol=1e-6),
    **SPACE_CASES,
}


@cache
def resonance() -> float:
    """The wavenumber at which the field in the split ring is largest, found by golden sections."""
    low, high, golden = 2.85, 3.05, 0.5 * (math.sqrt(5) - 1)

    def within(k: float) -> float:
        return float(-np.abs(quietly(Case((SPLIT_RING,), k, direction=0.2).problem(), 1e-6, 0)([[0.1, 0.05]]))[0])

    grid = np.linspace(low, high, 9)
    best = int(np.argmin([within(float(k)) for k in grid]))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, 8)])
    while high - low > 1e-8:
        first, second = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, second) if within(first) < within(second) else (first, high)
    return 0.5 * (low + high)


def quietly(problem: fs.Problem, tol: float, rng: int) -> fs.Solution:
    """The solution, without a warning: whether it has converged is in the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        return fs.solve(problem, tol=tol, rng=rng)


def reference() -> float:
    """Seconds of a QR factorisation of a real matrix of 6000 rows and 3000 columns."""
    matrix = np.random.default_rng(0).standard_normal((6000, 3000))
    began = process_time()
    scipy.linalg.qr(matrix, mode="r", overwrite_a=True, check_finite=False)
    return process_time() - began


def measure(name: str, qr: float) -> dict[str, str]:
    """One row of the table."""
    case = CASES[name]()
    problem = case.problem()
    quietly(problem, 1e-3, 0)  # imports what is imported when it is first needed
    began = process_time()
    solution = quietly(problem, case.tol, 0)
    seconds = process_time() - began
    lower, upper = problem.domain.bounding_box
    points = np.random.default_rng(7).uniform(lower, upper, (_POINTS, problem.dimension))
    if not isinstance(case.condition, fs.Transparent):  # whose objects have a field inside as well
        points = points[problem.domain.contains(points)]
    errors = _of_grating(case, solution, points) if isinstance(case, Grating) else _of(name, case, solution, points)
    row = {
        "name": name,
        "tol": f"{case.tol:.0e}",
        "functions": f"{solution.report.neurons}",
        "estimate": f"{solution.error_estimate:.1e}",
        **errors,
        "seconds": f"{seconds:.2f}",
        "reference_qrs": f"{seconds / qr:.2f}",
    }
    print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
    return row


def _of_grating(case: Grating, solution: fs.Solution, points: np.ndarray) -> dict[str, str]:
    """What is known of a grating: its orders take the place of the far field, and their powers that of the theorem."""
    orders, finer = solution.orders(), quietly(case.problem(), max(_FINER * case.tol, 1e-13), 1)
    known = finer.scattered(points)
    if case.series is None:
        back, on = finer.orders().reflected_amplitudes, finer.orders().transmitted_amplitudes
    else:
        back = case.series.amplitudes(orders.along, orders.across, 1)
        on = case.series.amplitudes(orders.along, orders.across, -1) + (orders.numbers == 0)
    off = np.abs([orders.reflected_amplitudes - back, orders.transmitted_amplitudes - on]).max()
    return {
        "error": f"{np.linalg.norm(solution.scattered(points) - known) / np.linalg.norm(known):.1e}",
        "far_field_error": f"{off / np.abs([back, on]).max():.1e}",
        "optical_theorem": f"{abs(orders.absorbed):.1e}",
        "reciprocity": "",
    }


def _of(name: str, case: Case | SpaceCase, solution: fs.Solution, points: np.ndarray) -> dict[str, str]:
    """Errors of a single object, or of some."""
    problem, angles = case.problem(), case.angles
    if case.series is not None:
        known, far = case.series.scattered(points), case.series.far_field(angles)
    else:
        finer = quietly(problem, max((_FINER if problem.dimension == 2 else _FINER_IN_SPACE) * case.tol, 1e-14), 1)
        known, far = finer.scattered(points), finer.far_field(angles)
    found, found_far = solution.scattered(points), solution.far_field(angles)
    optical = reciprocal = ""
    if not isinstance(case.series, Within):
        sections = solution.cross_sections()
        if not (isinstance(case.condition, fs.Robin) or "metal" in name):
            optical = f"{abs(sections.extinction / sections.scattering - 1):.1e}"
        reverse = quietly(case.problem(case.opposite(case.other)), case.tol, 0)
        back = reverse.far_field([case.opposite(case.direction)])[0]
        reciprocal = f"{abs(solution.far_field([case.other])[0] - back) / np.abs(far).max():.1e}"
    return {
        "error": f"{np.linalg.norm(found - known) / np.linalg.norm(known):.1e}",
        "far_field_error": f"{np.abs(found_far - far).max() / np.abs(far).max():.1e}",
        "optical_theorem": optical,
        "reciprocity": reciprocal,
    }


def main() -> None:
    """Measure all cases, or those named, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {'; '.join(CASES)}")
    parser.add_argument("--page", action="store_true", help="write the table into the page, and measure nothing")
    arguments = parser.parse_args()
    if arguments.page:
        write_page()
        return
    names, rows = arguments.names, {}
    if names and TABLE.exists():
        with TABLE.open() as file:
            rows = {row["name"]: row for row in csv.DictReader(file)}
    qr = reference()
    for name in names or CASES:
        rows[name] = measure(name, qr)
        with TABLE.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows[each] for each in CASES if each in rows)
    write_page()


def write_page() -> None:
    """The table of the page, as the measured rows say."""
    with TABLE.open() as file:
        rows = list(csv.DictReader(file))
    titles = [column.replace("_", " ").replace("qrs", "QRs") for column in COLUMNS]
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    lines += ["| " + " | ".join(row[column] for column in COLUMNS) + " |" for row in rows]
    put("open space", "\n".join(lines), DOCS / "waves.md")


if __name__ == "__main__":
    main()
