"""Problems made to deceive the error estimate, each with an exact solution and a benign twin."""

from collections.abc import Callable

import numpy as np
from random_families.draw import Draw

from adversary_families.challenge import Challenge
from adversary_families.electrodes import make_electrode, make_entering
from adversary_families.hidden import make_hidden
from adversary_families.hot_spots import make_hot_spot
from adversary_families.ill_posed import make_ill_posed
from adversary_families.layered import make_slab
from adversary_families.plans import make_plan
from adversary_families.pulses import make_flash, make_moving, make_pulse
from adversary_families.radial import make_inclusion

_COEFFICIENTS = ("absorbing", "index", "divergence")


def _inclusion(draw: Draw, narrow: bool) -> Challenge:
    if draw.chance(0.08):
        return make_pulse(draw, narrow)
    make = make_slab if draw.chance(0.5) else make_inclusion
    return make(draw, narrow, _COEFFICIENTS)


def _source(draw: Draw, narrow: bool) -> Challenge:
    if draw.chance(0.3):
        return (make_flash if draw.chance(0.6) else make_moving)(draw, narrow)
    make = make_slab if draw.chance(0.4) else make_inclusion
    return make(draw, narrow, ("source",))


def _electrode(draw: Draw, narrow: bool) -> Challenge:
    return (make_entering if draw.chance(0.2) else make_electrode)(draw, narrow)


_MAKERS: dict[str, Callable[[Draw, bool], Challenge]] = {
    "inclusions": _inclusion,
    "sources": _source,
    "electrodes": _electrode,
    "hot spots": make_hot_spot,
    "plans": make_plan,
    "hidden": make_hidden,
    "ill-posed": make_ill_posed,
}
# The share of each family.
FAMILIES = {
    "inclusions": 0.3,
    "sources": 0.16,
    "electrodes": 0.13,
    "hot spots": 0.12,
    "plans": 0.1,
    "hidden": 0.11,
    "ill-posed": 0.08,
}


def make_challenge(family: str, seed: int, deceptive: bool) -> Challenge:
    """The problem of a seed, or its twin; the same seed always gives the same ones."""
    draw = Draw(np.random.default_rng([list(_MAKERS).index(family), seed]))
    return _MAKERS[family](draw, deceptive)
