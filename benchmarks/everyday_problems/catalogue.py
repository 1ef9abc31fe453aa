"""The everyday problems by name: what is stated, what elements need, and what errors are measured against.

Nothing here imports `fspielm` or NGSolve before a problem is made: another version of the library can be measured, and
neither is needed for the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everyday_problems import closed, finite, places
from everyday_problems.elements import Found, Setting

REFERENCES = Path(__file__).with_name("references.npz")
_TOLS = (1e-3, 1e-5, 1e-8)
# The share of these levels at corners that are not the strongest.
_WEAK = 0.45
# Middle orders first: they show soon what the others have to beat.
_ORDERS = (6, 8, 4, 10, 5, 3, 12, 7, 2, 14, 9, 1, 16, 11, 13)
_MEDIUM_ORDERS, _HIGH_ORDERS = (10, 12, 8, 14, 16, 7, 6, 9, 5, 11, 13), (12, 14, 10, 16, 13, 11, 15, 9)
# The worst share of points that a mesh may leave out: beside circles, which its elements follow roughly.
_OUTSIDE = 0.02
# Two solves by elements tell a reference: order, share of the problem's size, grading, share of its levels.
_FINE, _COARSE = (17, 0.7, 0.45, 1.0), (15, 0.8, 0.5, 1.15)


@dataclass(frozen=True, eq=False)
class EverydayProblem:
    """A problem, and how it is measured.

    Attributes
    ----------
    name : str
    what : str
    statement : str
        A function of `everyday_problems.statements`.
    finite : callable
        From a `Setting` to what was `Found`.
    points : callable
        The points of comparison.
    arguments : tuple
        Of the statement.
    exact : callable or None
        Values ``(n, fields)`` at points; without it those of `REFERENCES`.
    straightened : callable or None
        A simpler problem for elements that `bend` turns into this one, for the reference.
    bend : callable or None
    tols : tuple of float
    fields : int
        How many columns count for the error.
    size : float
        Of the largest elements tried.
    fine : float
        Of the elements of the reference.
    levels : tuple of int
        Of refinement toward corners that are worth a trial.
    weak : tuple of float
        Shares of these levels at weak corners.
    quads : bool
        Whether squares are worth a trial.
    methods : tuple of str
    inverses : tuple of str
    bonus : int
    known_levels : int
        Of refinement for the reference.
    has_circles : bool
        Whether meshes follow circles.
    orders : tuple of int
        Worth a trial.
    """

    name: str
    what: str
    statement: str
    finite: Callable[[Setting], Found]
    points: Callable[[], NDArray[np.float64]]
    arguments: tuple[Any, ...] = ()
    exact: Callable[[NDArray[np.float64]], NDArray[Any]] | None = None
    straightened: Callable[[Setting], Found] | None = None
    bend: Callable[[NDArray[Any]], NDArray[Any]] | None = None
    tols: tuple[float, ...] = _TOLS
    fields: int = 1
    size: float = 0.5
    fine: float = 0.25
    levels: tuple[int, ...] = (0, 1, 2, 4)
    weak: tuple[float, ...] = (1.0,)
    quads: bool = False
    methods: tuple[str, ...] = ("",)
    inverses: tuple[str, ...] = ("sparsecholesky", "umfpack")
    bonus: int = 0
    known_levels: int = 28
    has_circles: bool = False
    orders: tuple[int, ...] = _ORDERS

    @property
    def is_modes(self) -> bool:
        """Whether eigenvalues are asked for."""
        return self.statement == "modes"

    def state(self) -> Any:
        """The `fs.Problem`."""
        from everyday_problems import statements

        return getattr(statements, self.statement)(*self.arguments)

    def known(self) -> NDArray[Any]:
        """The values ``(n, fields)`` that errors are measured against; for modes the eigenvalues."""
        return _known(self)

    def errors(self, found: NDArray[Any]) -> tuple[float, float]:
        """The relative error of what counts, and that of a pressure (NaN without one)."""
        known = self.known()
        if self.is_modes:
            if np.size(found) != np.size(known):
                return np.inf, np.nan
            return float(np.max(np.abs(np.ravel(found) / np.ravel(known) - 1))), np.nan
        found = np.asarray(found).reshape(len(known), -1)
        inside = np.isfinite(found).all(axis=1)
        if np.mean(inside) < 1 - _OUTSIDE:
            return np.inf, np.nan
        parts = [slice(0, self.fields), slice(self.fields, None)]
        off = [np.linalg.norm((found - known)[inside, part]) for part in parts]
        size = [np.linalg.norm(known[inside, part]) for part in parts]
        return float(off[0] / size[0]), float(off[1] / size[1]) if size[1] else np.nan

    def reference(self, fine: bool) -> NDArray[Any]:
        """Values by elements of high order that crowd at corners."""
        order, scale, grading, share = _FINE if fine else _COARSE
        setting = Setting(
            order,
            scale * self.fine,
            levels=round(share * self.known_levels),
            weak=_WEAK,
            grading=grading,
            method="8 steps" if self.statement == "nonlinear" else self.methods[0],
            inverse=self.inverses[0],
            bonus=4 + self.bonus,
        )
        solve = self.straightened if self.straightened and fine else self.finite
        values = solve(setting)(self.points())
        return self.bend(values) if self.bend and fine else values


@cache
def _known(problem: EverydayProblem) -> NDArray[Any]:
    if problem.exact is not None:
        return problem.exact(problem.points()).reshape(places.POINTS, -1)
    with np.load(REFERENCES) as kept:
        return np.asarray(kept[problem.name])


def _plate_values(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return closed.clamped_plate(points, 1.5, 1.0)


_UMFPACK = ("umfpack",)
_STRONG: dict[str, Any] = {"levels": (0, 1, 2, 3, 5, 8), "weak": (0.0, 0.4)}
_MEDIUM: dict[str, Any] = {"levels": (0,), "bonus": 2}
_LISTED = (
    EverydayProblem(
        "square",
        "Poisson's equation in a square",
        "square",
        finite.square,
        places.SQUARE.points,
        exact=closed.heated_square,
        size=1.0,
        levels=(0, 1, 2, 3, 4),
        quads=True,
        known_levels=13,
    ),
    EverydayProblem(
        "varying",
        "a conductivity that varies, in a square",
        "varying",
        finite.varying,
        places.SQUARE.points,
        size=1.0,
        quads=True,
        bonus=2,
        known_levels=13,
    ),
    EverydayProblem(
        "plate",
        "reaction and diffusion in an L-shaped plate with a hole",
        "plate",
        finite.plate,
        places.PLATE.points,
        size=1.0,
        **_STRONG,
        has_circles=True,
    ),
    EverydayProblem(
        "bracket",
        "heat in a bracket with two holes and convection",
        "bracket",
        finite.bracket,
        places.BRACKET.points,
        size=0.8,
        **_STRONG,
        has_circles=True,
    ),
    EverydayProblem(
        "inclusion",
        "heat past an inclusion, 1 : 10",
        "inclusion",
        finite.inclusion,
        places.INCLUSION.points,
        levels=(0,),
        known_levels=13,
        has_circles=True,
        size=1.0,
    ),
    EverydayProblem(
        "convection",
        "convection and diffusion past a warm disk",
        "convection",
        finite.convection,
        places.CONVECTION.points,
        levels=(0, 1, 2),
        inverses=_UMFPACK,
        fine=0.15,
        known_levels=13,
        has_circles=True,
        size=0.8,
    ),
    EverydayProblem(
        "cabin",
        "sound of 200 Hz in a car, impedance on the roof",
        "cabin",
        partial(finite.cabin, hertz=200.0),
        places.CABIN.points,
        (200.0,),
        size=1.5,
        levels=(0, 1, 2, 3, 5),
        known_levels=18,
    ),
    EverydayProblem(
        "nonlinear",
        "a conductivity that grows with the temperature, with a hole",
        "nonlinear",
        finite.nonlinear,
        places.NONLINEAR.points,
        straightened=finite.nonlinear_straightened,
        bend=finite.bent_back,
        levels=(0, 1, 2, 4),
        methods=("3 steps", "4 steps", "5 steps", "6 steps"),
        inverses=_UMFPACK,  # Newton's matrices are not symmetric
        known_levels=13,
        has_circles=True,
        size=1.0,
    ),
    EverydayProblem(
        "stokes",
        "Stokes flow past a disk in a channel",
        "stokes",
        finite.stokes,
        places.STOKES.points,
        fields=2,
        levels=(0, 1, 2, 4, 6),
        weak=(0.0, 1.0),
        methods=("Taylor-Hood", "discontinuous pressure"),
        inverses=_UMFPACK,
        fine=0.25,
        has_circles=True,
        size=1.0,
    ),
    EverydayProblem(
        "cantilever",
        "an elastic cantilever with a hole, sheared by its end",
        "cantilever",
        finite.cantilever,
        places.CANTILEVER.points,
        fields=2,
        size=1.0,
        **_STRONG,
        has_circles=True,
    ),
    EverydayProblem(
        "modes",
        "six modes of the L-shaped plate",
        "modes",
        finite.modes,
        places.PLATE.points,
        size=1.0,
        **_STRONG,
        has_circles=True,
    ),
    EverydayProblem(
        "medium",
        "Helmholtz' equation in a varying medium, 20 wavelengths",
        "medium_box",
        partial(finite.medium_box, wavelengths=20),
        places.SQUARE.points,
        (20,),
        exact=partial(closed.medium_wave, 20),
        size=0.15,
        quads=True,
        **_MEDIUM,
        orders=_MEDIUM_ORDERS,
    ),
    EverydayProblem(
        "layer",
        "a thin layer around a square with a hole",
        "layer",
        finite.layer,
        places.LAYER.points,
        levels=(0,),
        fine=0.06,
        known_levels=13,
        has_circles=True,
        size=0.6,
    ),
    EverydayProblem(
        "elastic L",
        "an elastic post with an arm under its weight",
        "elastic_l",
        finite.elastic_l,
        places.ELASTIC_L.points,
        fields=2,
        size=1.5,
        **_STRONG,
    ),
    EverydayProblem(
        "holes",
        "Poisson's equation in a box less twenty disks",
        "holes",
        finite.holes,
        places.HOLES.points,
        levels=(0, 1, 2),
        size=0.4,
        fine=0.12,
        known_levels=13,
        has_circles=True,
    ),
    EverydayProblem(
        "bending",
        "a clamped rectangular plate under a load",
        "bending",
        finite.bending,
        places.BENDING.points,
        exact=_plate_values,
        levels=(0, 1, 2),
        size=1.0,
        methods=("interior penalty", "Hellan-Herrmann-Johnson"),
        known_levels=6,
    ),
    EverydayProblem(
        "contrast",
        "heat past three inclusions, 1 : 1000",
        "contrast",
        finite.contrast,
        places.CONTRAST.points,
        levels=(0,),
        fine=0.12,
        known_levels=13,
        has_circles=True,
        size=0.6,
    ),
    EverydayProblem(
        "cabin, 1 kHz",
        "the car at 1 kHz",
        "cabin",
        partial(finite.cabin, hertz=1000.0),
        places.CABIN.points,
        (1000.0,),
        size=0.7,
        levels=(0, 1, 2, 3, 5),
        known_levels=18,
    ),
    EverydayProblem(
        "medium, 40",
        "the medium with 40 wavelengths",
        "medium_box",
        partial(finite.medium_box, wavelengths=40),
        places.SQUARE.points,
        (40,),
        exact=partial(closed.medium_wave, 40),
        tols=(1e-8,),
        orders=_HIGH_ORDERS,
        size=0.06,
        quads=True,
        **_MEDIUM,
    ),
    EverydayProblem(
        "medium, star",
        "the medium in a star, 20 wavelengths",
        "medium_star",
        finite.medium_star,
        places.star_points,
        exact=partial(closed.medium_wave, 20),
        tols=(1e-8,),
        orders=_HIGH_ORDERS,
        size=0.12,
        **_MEDIUM,
    ),
    EverydayProblem(
        "medium, holes",
        "the medium in a polygon with two holes, 20 wavelengths",
        "medium_holes",
        finite.medium_holes,
        places.holed_points,
        exact=partial(closed.medium_wave, 20),
        tols=(1e-8,),
        orders=_HIGH_ORDERS,
        size=0.12,
        **_MEDIUM,
    ),
)
EVERYDAY = {problem.name: problem for problem in _LISTED}
# The group that stands for smooth media at eight digits.
MEDIA = ("medium", "medium, 40", "medium, star", "medium, holes")
