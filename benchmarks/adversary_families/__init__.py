"""Problems made to deceive the error estimate, each with an exact solution and a benign twin."""

from collections.abc import Callable

import numpy as np
from random_families.draw import Draw

from adversary_families.challenge import Challenge
from adversary_families.complex_valued import make_complex_valued
from adversary_families.coupled import make_coupled
from adversary_families.degenerate import make_degenerate, make_one_sided, make_vanishing
from adversary_families.drifting import make_drifting
from adversary_families.electrodes import make_electrode, make_entering
from adversary_families.folds import make_fold
from adversary_families.glass import make_glass
from adversary_families.hidden import make_hidden
from adversary_families.hot_spots import make_hot_spot
from adversary_families.ill_posed import make_ill_posed
from adversary_families.jumps import make_jump
from adversary_families.layered import make_slab
from adversary_families.lifted import Mixture, can_be_lifted, draw_mixture, lift_complex, lift_system
from adversary_families.modes import make_modes
from adversary_families.modes_challenge import ModesChallenge
from adversary_families.negative import make_negative
from adversary_families.nonlinear import make_nonlinear
from adversary_families.opened import make_opened
from adversary_families.plans import make_plan
from adversary_families.pulses import make_flash, make_moving, make_pulse
from adversary_families.radial import make_inclusion
from adversary_families.varying import make_varying
from adversary_families.zero_data import make_zero

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


# Which share of systems and complex problems are made of those of one real unknown.
_LIFTED = 0.6


def _system(draw: Draw, narrow: bool) -> Challenge:
    return _lift(draw, narrow, lift_system) if draw.chance(_LIFTED) else make_coupled(draw, narrow)


def _complex(draw: Draw, narrow: bool) -> Challenge:
    return _lift(draw, narrow, lift_complex) if draw.chance(_LIFTED) else make_complex_valued(draw, narrow)


def _lift(draw: Draw, narrow: bool, lift: Callable[[Challenge, Mixture], Challenge]) -> Challenge:
    mixture = draw_mixture(draw)
    # what one of a pair cannot be, the other is not either
    maker, seed = draw.one_of(_LIFTABLE), int(draw.rng.integers(2**31))
    for attempt in range(100):
        both = [maker(Draw(np.random.default_rng([seed, attempt])), which) for which in (narrow, not narrow)]
        if all(map(can_be_lifted, both)):
            return lift(both[0], mixture)
    raise AssertionError(f"{maker.__name__} makes nothing that can be part of a larger problem")


_LIFTABLE = (_inclusion, _inclusion, _source, _electrode, make_hot_spot, make_hidden, make_ill_posed)

_MAKERS: dict[str, Callable[[Draw, bool], Challenge | ModesChallenge]] = {
    "inclusions": _inclusion,
    "sources": _source,
    "electrodes": _electrode,
    "hot spots": make_hot_spot,
    "plans": make_plan,
    "hidden": make_hidden,
    "ill-posed": make_ill_posed,
    "systems": _system,
    "complex": _complex,
    "nonlinear": make_nonlinear,
    "open": make_opened,
    "modes": make_modes,
    "degenerate": make_degenerate,
    "vanishing": make_vanishing,
    "one-sided": make_one_sided,
    "negative": make_negative,
    "varying": make_varying,
    "zero data": make_zero,
    "glass": make_glass,
    "folds": make_fold,
    "jumps": make_jump,
    "drifting": make_drifting,
}
# The share of each family; they need not add up to one.
FAMILIES = {
    "inclusions": 0.3,
    "sources": 0.16,
    "electrodes": 0.13,
    "hot spots": 0.12,
    "plans": 0.1,
    "hidden": 0.11,
    "ill-posed": 0.08,
    "systems": 0.2,
    "complex": 0.2,
    "nonlinear": 0.2,
    "open": 0.2,
    "modes": 0.2,
    "degenerate": 0.1,
    "vanishing": 0.1,
    "one-sided": 0.1,
    "negative": 0.1,
    "varying": 0.1,
    "zero data": 0.1,
    "glass": 0.1,
    "folds": 0.1,
    "jumps": 0.1,
    "drifting": 0.1,
}


def make_challenge(family: str, seed: int, deceptive: bool) -> Challenge | ModesChallenge:
    """The problem of a seed, or its twin; the same seed always gives the same ones."""
    draw = Draw(np.random.default_rng([list(_MAKERS).index(family), seed]))
    return _MAKERS[family](draw, deceptive)
