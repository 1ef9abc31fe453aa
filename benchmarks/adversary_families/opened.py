"""Open space that deceives: any of the kinds."""

from __future__ import annotations

from collections.abc import Callable

from random_families.draw import Draw

from adversary_families.challenge import Challenge
from adversary_families.open_near import make_near, make_tiny, make_touching
from adversary_families.open_rims import make_arc, make_multipole
from adversary_families.open_waves import make_cavity, make_gallery, make_interior, make_no_wave


def make_opened(draw: Draw, narrow: bool) -> Challenge:
    """Any of the kinds."""
    makers: tuple[Callable[[Draw, bool], Challenge], ...] = (
        make_near,
        make_near,
        make_near,
        make_touching,
        make_touching,
        make_tiny,
        make_multipole,
        make_arc,
        make_cavity,
        make_interior,
        make_gallery,
        make_no_wave,
    )
    return draw.one_of(makers)(draw, narrow)
