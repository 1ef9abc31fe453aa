"""Which zeros of a symbol a problem needs."""

from __future__ import annotations

import numpy as np

from fspielm.features.characteristic.directions import half_sphere
from fspielm.features.characteristic.evolution import Course, course_along, evolving_frequencies
from fspielm.features.characteristic.frequencies import Frequencies
from fspielm.features.characteristic.scene import Scene
from fspielm.features.characteristic.steady import Space, steady_frequencies
from fspielm.features.characteristic.symbol import Symbol

_PROBES = 2000
# The principal part of an elliptic operator is nowhere below this share of its largest value.
_ELLIPTIC = 1e-4


def characteristic_frequencies(
    symbol: Symbol,
    scene: Scene,
    neurons: int,
    rng: np.random.Generator,
    *,
    time_axis: int | None = None,
    reach: tuple[float, ...] | None = None,
) -> Frequencies:
    """Zeros that make at most `neurons` real functions, spread as a problem on the domain needs them.

    With time, or where the equation is not elliptic, solutions evolve, and are spread over wavenumbers; otherwise
    over directions.
    """
    course = course_of(symbol, scene, time_axis)
    if course is not None:
        return evolving_frequencies(symbol, course, neurons, rng, reach)
    axes = tuple(range(symbol.dimension))
    space = Space(axes, np.zeros(symbol.dimension), scene.radius(axes))
    return steady_frequencies(symbol, space, neurons, rng)


def course_of(symbol: Symbol, scene: Scene, time_axis: int | None = None) -> Course | None:
    """How solutions evolve: along time, or, where the equation is not elliptic, along another axis; None otherwise."""
    axis = _evolution_axis(symbol, scene) if time_axis is None else time_axis
    return None if axis is None or symbol.dimension == 1 else course_along(scene, axis)


def _evolution_axis(symbol: Symbol, scene: Scene) -> int | None:
    """The axis along which a solution without time evolves; None if the operator is elliptic.

    It is the one whose own derivative is of the lowest order, the last of several.
    """
    principal = symbol.principal()
    directions = half_sphere(_PROBES, symbol.dimension, np.random.default_rng(0))
    lengths = np.ptp(scene.outline, axis=0)
    values = principal((directions / lengths).astype(np.complex128))
    turned = (values / 1j**symbol.order).real
    if np.all(turned > _ELLIPTIC * turned.max()) or np.all(turned < _ELLIPTIC * turned.min()):
        return None
    single = [
        int(symbol.orders[np.all(np.delete(symbol.orders, i, 1) == 0, axis=1), i].max(initial=0))
        for i in range(symbol.dimension)
    ]
    lowest = min(order for order in single if order > 0) if any(single) else 0
    return max(i for i, order in enumerate(single) if order == lowest)
