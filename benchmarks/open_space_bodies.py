"""Objects in space for `open_space`: balls beside their series, a spheroid beside finer solutions and exact fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from open_space_balls import Balls, Complexes, Floats

import fspielm as fs

x, y, z = sp.symbols("x y z")
u = sp.Function("u")(x, y, z)
K = 10.0
METAL = 0.2 + 3.4j
SPHEROID = fs.Ellipsoid((0.3, 0.2, -0.1), (1, 0.6, 0.6)).rotated(0.4, axis="y")
_CONDITIONS: dict[str, tuple[Any, dict[str, Any]]] = {
    "soft": (fs.Dirichlet(0), {}),
    "hard": (fs.Neumann(0), {"alpha": 0.0, "beta": 1.0}),
    "impedance": (fs.Robin(-0.5j * K, 1, 0), {"alpha": -0.5j * K, "beta": 1.0}),
    "n = 1.5": (fs.Transparent(1.5 * K), {"inside": 1.5 * K}),
    "a metal of n = 0.2 + 3.4 i": (fs.Transparent(METAL * K), {"inside": METAL * K}),
}


@dataclass(frozen=True)
class Within:
    """The field of a point source in an object, ``exp(i k r) / r``: what its values on the surface have to make."""

    place: tuple[float, float, float]
    k: float

    @property
    def formula(self) -> sp.Expr:
        """As an expression."""
        r = sp.sqrt(sum((s - p) ** 2 for s, p in zip((x, y, z), self.place, strict=True)))
        return sp.exp(sp.I * self.k * r) / r

    def scattered(self, points: Floats) -> Complexes:
        """At points ``(n, 3)``."""
        r = np.linalg.norm(points - np.array(self.place), axis=1)
        return np.asarray(np.exp(1j * self.k * r) / r)

    def far_field(self, directions: Floats) -> Complexes:
        """What ``exp(i k r) / r`` is multiplied with far away."""
        return np.asarray(np.exp(-1j * self.k * directions @ np.array(self.place)))


@dataclass(frozen=True)
class SpaceCase:
    """Objects in space in a plane wave, and their series, if there is one; without a wave, a field that is known."""

    objects: tuple[fs.Domain, ...]
    condition: Any
    series: Balls | Within | None = None
    k: float = K
    direction: tuple[float, float, float] = (0.6, 0.48, 0.64)
    other: tuple[float, float, float] = (-0.48, 0.8, 0.36)
    tol: float = 1e-7

    def problem(self, direction: Any = None) -> fs.Problem:
        """For a wave that goes in some direction."""
        ahead = self.direction if direction is None else direction
        return fs.Problem(
            sp.Eq(u.diff(x, 2) + u.diff(y, 2) + u.diff(z, 2) + self.k**2 * u, 0),
            fs.Exterior(*self.objects),
            [self.condition],
            incident=None if isinstance(self.series, Within) else fs.plane_wave(self.k, ahead),
        )

    @property
    def angles(self) -> Floats:
        """Directions to look at, ``(n, 3)``."""
        found = np.random.default_rng(3).standard_normal((50, 3))
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))

    def opposite(self, direction: Any) -> Any:
        """The reverse of a direction."""
        return tuple(-entry for entry in direction)


def _balls(centers: list[tuple[float, float, float]], kind: str) -> SpaceCase:
    condition, known = _CONDITIONS[kind]
    series = Balls(np.array(centers), 1.0, K, SpaceCase.direction, **known)
    return SpaceCase(tuple(fs.Ball(center, 1) for center in centers), condition, series)


def _within() -> SpaceCase:
    field = Within((0.5, 0.25, -0.1), K)
    return SpaceCase((SPHEROID,), fs.Dirichlet(field.formula), field)


SPACE_CASES: dict[str, Callable[[], SpaceCase]] = {
    **{f"ball, {kind}, ka = 10": lambda kind=kind: _balls([(0.3, 0.2, -0.1)], kind) for kind in _CONDITIONS},  # type: ignore[misc]
    **{
        f"two balls, {kind}, ka = 10": lambda kind=kind: _balls([(0, 0, 0), (2.2, 1.2, 1.0)], kind)  # type: ignore[misc]
        for kind in _CONDITIONS
    },
    "spheroid, source within, ka = 10": _within,
    **{
        f"spheroid, {kind}, ka = 10": lambda kind=kind: SpaceCase((SPHEROID,), _CONDITIONS[kind][0])  # type: ignore[misc]
        for kind in _CONDITIONS
    },
}
