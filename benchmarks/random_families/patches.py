"""The family "patches": what is local, in media that vary, materials, layers, narrow sources, corners and plates."""

from __future__ import annotations

import numpy as np

from random_families.draw import Draw
from random_families.patch_crossings import draw_closed_form
from random_families.patch_fields import draw_complex_medium, draw_fields
from random_families.patch_local import draw_corner, draw_layer, draw_narrow
from random_families.patch_materials import draw_materials
from random_families.patch_media import draw_medium, draw_plate
from random_families.problem import RandomProblem, draw_goal
from random_families.stated import Stated

_NUMBER = 5
# Twice as many wavelengths as a filled band takes.
_SLOWER = 0.5
# Cells have more functions than a global basis, and each of them costs less.
_MOST = 100_000
_SECONDS = 300.0
_KINDS = (
    *(draw_medium,) * 10,
    *(draw_materials,) * 7,
    *(draw_closed_form,) * 4,
    *(draw_layer,) * 5,
    *(draw_narrow,) * 5,
    *(draw_corner,) * 4,
    *(draw_plate,) * 2,
    *(draw_fields,) * 3,
    *(draw_complex_medium,) * 2,
)


def make_patches(seed: int) -> RandomProblem:
    """The problem of a seed; refused by a version that does not know materials, if it has some."""
    draw, stated = _draw(seed)
    tol, share, ample = draw_goal(draw, stated.least)
    exact = stated.exact[0] if len(stated.exact) == 1 else stated.exact
    return RandomProblem(
        seed, "patches", stated.name, stated.problem(), exact, tol, share, ample, _MOST, seconds=_SECONDS
    )


def state_patches(seed: int) -> Stated:
    """What the problem of a seed says, also where a version would refuse it."""
    return _draw(seed)[1]


def _draw(seed: int) -> tuple[Draw, Stated]:
    draw = Draw(np.random.default_rng([_NUMBER, seed]), slower=_SLOWER)
    return draw, draw.one_of(_KINDS)(draw)
