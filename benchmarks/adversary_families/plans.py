"""Later data: what was prepared with benign data is solved with narrow ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import sympy as sp
from random_families.draw import Draw

import fspielm as fs
from adversary_families.challenge import Challenge, Later
from adversary_families.electrodes import make_electrode
from adversary_families.hot_spots import make_hot_spot
from adversary_families.layered import make_slab
from adversary_families.pulses import make_flash
from adversary_families.radial import make_inclusion


def make_plan(draw: Draw, narrow: bool) -> Challenge:
    """Any problem with narrow data, prepared as its twin.

    The twin of the plan solves it with the data that it was prepared with.
    """
    makers: tuple[Callable[[Draw, bool], Challenge], ...] = (
        lambda d, n: make_slab(d, n, ("source",)),
        lambda d, n: make_inclusion(d, n, ("source",)),
        make_electrode,
        make_hot_spot,
        make_flash,
    )
    make = draw.one_of(makers)
    state = draw.rng.bit_generator.state
    benign = make(draw, False)
    draw.rng.bit_generator.state = state
    asked = make(draw, narrow)
    later = Later(_source(asked.problem), {c.name: c.value.source for c in asked.problem.constraints})
    return replace(asked, kind=f"later: {asked.kind}", first=benign.problem, later=later)


def _source(problem: fs.Problem) -> Any:
    """The right-hand side by itself: what is given for a function is no part of another problem."""
    source: Any = problem.right_hand_side.source
    return problem.statement.given[source] if source in (problem.statement.given or {}) else sp.sympify(source)
