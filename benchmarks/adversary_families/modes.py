"""Modes that deceive: any of the kinds."""

from __future__ import annotations

from collections.abc import Callable

from random_families.draw import Draw

from adversary_families.modes_challenge import ModesChallenge
from adversary_families.modes_line import (
    make_end_at_a_value,
    make_heavy,
    make_narrow_well,
    make_neck,
    make_pulling_end,
    make_row_of_wells,
    make_soft,
    make_two_wells,
)
from adversary_families.modes_plane import make_narrow_in_a_disk, make_nearly_square, make_pulling_rim, make_thin_ring


def make_modes(draw: Draw, hidden: bool) -> ModesChallenge:
    """Any of the kinds."""
    makers: tuple[Callable[[Draw, bool], ModesChallenge], ...] = (
        make_narrow_well,
        make_narrow_well,
        make_narrow_well,
        make_heavy,
        make_soft,
        make_two_wells,
        make_two_wells,
        make_row_of_wells,
        make_pulling_end,
        make_neck,
        make_end_at_a_value,
        make_nearly_square,
        make_pulling_rim,
        make_narrow_in_a_disk,
        make_thin_ring,
    )
    return draw.one_of(makers)(draw, hidden)
