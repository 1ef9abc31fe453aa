"""Resonances of open domains: errors, estimates and times, beside what is known from elsewhere.

    python benchmarks/resonances.py [NAME ...]   # writes docs/resonances.csv, or these rows, and docs/resonances.md
    python benchmarks/resonances.py --page       # the tables of docs/resonances.md alone

Disks have characteristic functions, whose zeros are found with 30 digits, and counted by their argument around the
rectangle. Of two disks a series is known (Graf's theorem), of smooth soft curves an integral equation is solved (Kress'
rule): both are singular at resonances, and Newton's steps from the values that were found end where they are. Other
objects are compared with a tolerance that is a thousand times smaller, whose functions are more, and elsewhere. Errors
are relative, and the largest of all resonances. A split ring is also driven by a plane wave at three real wavenumbers:
a pole and a constant through the field at a place inside give its resonance again. Times are those of processors.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import process_time
from typing import Any

import numpy as np
import sympy as sp
from kept_rows import markdown, measure_named, read_rows
from method_page import DOCS, put
from numpy.typing import NDArray
from resonances_known import Array, Disk, closest_zero, of_curve, of_disk, of_two_disks

import fspielm as fs

TABLE, PAGE = DOCS / "resonances.csv", DOCS / "resonances.md"
COLUMNS = (
    "name",
    "within",
    "found",
    "known",
    "complete",
    "error",
    "estimate",
    "covered",
    "sharpest",
    "driven",
    "seconds",
)
_FINER, _LEAST = 1e-3, 1e-13

x, y, k, t = sp.symbols("x y k t")
u = sp.Function("u")(x, y)
DISK = fs.Disk((0.3, 0.2), 1)
PAIR = ((0.0, 0.0), (2.5, 0.3))
TREFOIL = fs.PolarCurve(1 + sp.Rational(3, 10) * sp.cos(3 * t))
Rectangle = tuple[complex, complex]


def split_ring(mouth: float) -> fs.Curve:
    """A ring of thickness 0.5 at most, whose mouth has this angle on either side of the negative axis."""
    radius, angle = 1 + sp.Rational(1, 4) * sp.sin(t), (sp.pi - sp.Rational(mouth).limit_denominator(1000)) * sp.cos(t)
    return fs.Curve(radius * sp.cos(angle), -radius * sp.sin(angle), (0, 2 * sp.pi))


def _ring_points(mouth: float) -> Callable[[NDArray[np.float64]], Array]:
    return lambda s: np.asarray((1 + 0.25 * np.sin(s)) * np.exp(-1j * (np.pi - mouth) * np.cos(s)))


def _trefoil_points(s: NDArray[np.float64]) -> Array:
    return np.asarray((1 + 0.3 * np.cos(3 * s)) * np.exp(1j * s))


@dataclass(frozen=True)
class Case:
    """Objects, where their resonances are looked for, and what these are known by, if not by more digits.

    `exactly` gives all of them, `singular` a matrix that is singular there.
    """

    objects: tuple[fs.Domain, ...]
    within: Rectangle
    condition: fs.AnyCondition = fs.Dirichlet(0)  # noqa: RUF009  # never changed
    tol: float = 1e-10
    exactly: Callable[[], Array] | None = None
    singular: Callable[[], Callable[[complex], Array]] | None = None

    @property
    def problem(self) -> fs.Problem:
        """Without data."""
        equation = sp.Eq(u.diff(x, 2) + u.diff(y, 2) + k**2 * u, 0)
        return fs.Problem(equation, fs.Exterior(*self.objects), [self.condition], given={k: ...})


def _disk(known: Disk, within: Rectangle, condition: fs.AnyCondition, orders: int, tol: float = 1e-11) -> Case:
    return Case((DISK,), within, condition, tol, lambda: of_disk(known, within, orders))


def _glass(index: float, within: Rectangle) -> Case:
    orders = int(index * within[1].real + 12)
    return _disk(Disk(inside=lambda value: (index * value, 1)), within, fs.Transparent(index * k), orders)


def _metal(plasma: float, damping: float, within: Rectangle) -> Case:
    """Drude's, magnetic field along the disk: plasmons gather where the permittivity is minus one."""

    # the root that is positive imaginary where the permittivity is negative
    def inside(value: Any) -> tuple[Any, Any]:
        index = 1j * (plasma**2 * value / (value + 1j * damping) - value**2) ** 0.5
        return index, 1 / (1 - plasma**2 / (value**2 + 1j * damping * value))

    index = sp.I * sp.sqrt(plasma**2 * k / (k + sp.I * damping) - k**2)
    permittivity = 1 - plasma**2 / (k**2 + sp.I * damping * k)
    return _disk(Disk(inside=inside), within, fs.Transparent(index, 1 / permittivity), 24, 1e-8)


def _ring(mouth: float, within: Rectangle) -> Case:
    return Case((split_ring(mouth),), within, tol=1e-8, singular=lambda: of_curve(_ring_points(mouth), 700))


def _random(seed: int) -> Case:
    """A star of three random harmonics: soft, hard, with an impedance or of glass."""
    rng = np.random.default_rng(seed)
    sizes, turns = rng.uniform(-0.12, 0.12, 3), rng.uniform(0, 2 * np.pi, 3)
    radius = 1 + sum(float(a) * sp.cos(n * t + float(b)) for n, a, b in zip((2, 3, 4), sizes, turns, strict=True))
    conditions = (fs.Dirichlet(0), fs.Neumann(0), fs.Robin(-0.3j * k, 1, 0), fs.Transparent(2 * k))
    left = float(rng.uniform(1.0, 2.0))
    depth = (1.8, 1.2, 1.2, 0.3)[seed % 4]
    center = tuple(map(float, rng.uniform(-1, 1, 2)))
    return Case(
        (fs.PolarCurve(radius, center=center),), (left - depth * 1j, left + 0.7 + 0j), conditions[seed % 4], tol=1e-8
    )


CASES: dict[str, Callable[[], Case]] = {
    "disk, soft": lambda: _disk(Disk(), (0.3 - 3j, 5 + 0j), fs.Dirichlet(0), 20),
    "disk, hard": lambda: _disk(Disk(0), (0.3 - 3j, 5 + 0j), fs.Neumann(0), 20),
    "disk, waves along it": lambda: _disk(
        Disk(-14.9 - 0.02j), (1.5 - 0.3j, 2.4 + 0j), fs.Robin(-14.9 - 0.02j, 1, 0), 30
    ),
    "disk, n = 1.5": lambda: _glass(1.5, (8.9 - 0.4j, 9.5 + 0j)),
    "disk, n = 3": lambda: _glass(3.0, (2 - 0.2j, 3 + 0j)),
    "disk, n = 3, whispering": lambda: _glass(3.0, (6.6 - 0.005j, 6.95 + 0j)),
    "disk of metal, plasmons": lambda: _metal(3.0, 0.2, (1.5 - 0.15j, 2.03 - 0.05j)),
    "two disks, soft": lambda: Case(
        tuple(fs.Disk(center, 1) for center in PAIR), (1 - 1.4j, 2.5 + 0j), singular=lambda: of_two_disks(PAIR)
    ),
    "trefoil, soft": lambda: Case((TREFOIL,), (1 - 1.9j, 2.5 + 0j), singular=lambda: of_curve(_trefoil_points, 240)),
    "trefoil, n = 1.5": lambda: Case((TREFOIL,), (2.8 - 0.5j, 3.5 + 0j), fs.Transparent(1.5 * k), tol=1e-9),
    "square, soft": lambda: Case((fs.Box((0, 0), (1, 1)),), (2 - 3j, 3 + 0j), tol=1e-6),
    "square, hard": lambda: Case((fs.Box((0, 0), (1, 1)),), (2 - 1.5j, 3 + 0j), fs.Neumann(0), tol=1e-5),
    "split ring, mouth 0.2": lambda: _ring(0.2, (2.8 - 0.05j, 3.1 + 0j)),
    "split ring, mouth 0.1": lambda: _ring(0.1, (2.8 - 0.05j, 3.1 + 0j)),
    "split ring, mouth 0.05": lambda: _ring(0.05, (2.8 - 0.05j, 3.1 + 0j)),
    **{f"random star {seed}": lambda seed=seed: _random(seed) for seed in range(12)},  # type: ignore[misc]
}


def found_by(case: Case) -> fs.Modes:
    """All of the rectangle, without warnings: what they would say is in the table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fs.AccuracyWarning)
        return fs.eigenmodes(case.problem, k, within=case.within, tol=case.tol, rng=0)


def _known(case: Case, modes: fs.Modes) -> tuple[Array, str]:
    """What the values should be, and how many there are, where that is known."""
    if case.exactly is not None:
        values = case.exactly()
        return values, str(len(values))
    if case.singular is not None:
        matrix = case.singular()
        return np.array([closest_zero(matrix, complex(mode.value)) for mode in modes]), ""
    finer = found_by(replace(case, tol=max(_FINER * case.tol, _LEAST)))
    return finer.values, str(len(finer))


def _driven(case: Case, modes: fs.Modes) -> complex:
    """The sharpest resonance once more, from what a plane wave drives inside at three real wavenumbers around it."""
    sharpest = complex(modes[int(np.argmax(modes.values.imag))].value)
    places = sharpest.real - sharpest.imag * np.array([-1.0, 0.3, 1.0])
    fields = []
    for place in places.tolist():
        driven = fs.Problem(
            sp.Eq(u.diff(x, 2) + u.diff(y, 2) + place**2 * u, 0),
            fs.Exterior(*case.objects),
            [case.condition],
            incident=fs.plane_wave(place, (1, 0)),
        )
        fields.append(complex(fs.solve(driven, tol=1e-8, rng=0)([[0.1, 0.05]])[0]))
    # (u - d) (k - pole) = c, which is linear in d, the pole and what is left
    rows = np.column_stack([places, fields, np.ones(3)])
    return complex(np.linalg.solve(rows, np.array(fields) * places)[1])


def _told(value: complex) -> str:
    return f"{value.real:.10f} {'-' if value.imag < 0 else '+'} {abs(value.imag):.4e} i"


def measure(name: str) -> list[dict[str, Any]]:
    """One row."""
    case = CASES[name]()
    began = process_time()
    modes = found_by(case)
    seconds = process_time() - began
    values, number = _known(case, modes)
    errors = np.array([np.abs(values - mode.value).min(initial=np.inf) for mode in modes])
    estimates, sizes = np.array([mode.estimate for mode in modes]), np.abs(modes.values)
    return [
        {
            "name": name,
            "within": ", ".join(
                f"{end.real:.4g}{end.imag:+.4g}i" if end.imag else f"{end.real:.4g}" for end in case.within
            ),
            "found": len(modes),
            "known": number,
            "complete": "yes" if modes.complete else "no",
            "error": f"{np.max(errors / sizes, initial=0.0):.1e}",
            "estimate": f"{np.max(estimates / sizes, initial=0.0):.1e}",
            "covered": "yes" if np.all(errors <= estimates) else "no",
            "sharpest": _told(modes[int(np.argmax(modes.values.imag))].value) if len(modes) else "",
            "driven": _told(_driven(case, modes)) if name.startswith("split ring") else "",
            "seconds": f"{seconds:.0f}",
        }
    ]


def main() -> None:
    """Measure what is asked for, and write the page's tables anew."""
    if sys.argv[1:] != ["--page"]:
        measure_named(__doc__ or "", TABLE, COLUMNS, CASES, measure)
    rows = read_rows(TABLE)
    named = [row for row in rows if not row["name"].startswith("random")]
    stars = [row for row in rows if row["name"].startswith("random")]
    heads = ("objects", "within", "found", "known", "complete", "error", "estimate", "seconds")
    put(
        "resonances",
        markdown(heads, [[row[head if head != "objects" else "name"] for head in heads] for row in named]),
        PAGE,
    )
    rings = [row for row in rows if row["name"].startswith("split ring")]
    shown = [[row["name"].removeprefix("split ring, mouth "), row["sharpest"], row["driven"]] for row in rings]
    put("rings", markdown(("mouth", "resonance", "from the response to a plane wave"), shown), PAGE)
    covered = sum(row["covered"] == "yes" for row in stars)
    total, complete = sum(int(row["found"]) for row in stars), sum(row["complete"] == "yes" for row in stars)
    errors, estimates = ([float(row[name]) for row in stars] for name in ("error", "estimate"))
    put(
        "random",
        f"Of {len(stars)} random stars, which have {total} resonances together, all errors are within their estimates "
        f"for {covered}, and {complete} are complete. The largest error is {max(errors, default=0):.0e}, the largest "
        f"estimate {max(estimates, default=0):.0e}.",
        PAGE,
    )


if __name__ == "__main__":
    main()
