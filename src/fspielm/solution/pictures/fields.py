"""The fields of a solution as pictures show them: one quantity for each unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.solution.pictures.frequencies import highest_frequencies
from fspielm.solution.pictures.labels import unknown_symbol
from fspielm.solution.pictures.note import doubt
from fspielm.solution.pictures.parts import Part, choose_part, part_label, part_values
from fspielm.solution.pictures.quantity import Quantity

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


def each_field(solution: Solution) -> list[Solution]:
    """The solution of every unknown by itself."""
    return [solution[unknown.symbol] for unknown in solution.problem.stated.unknowns]


def only_field(solution: Solution, what: str) -> Solution:
    """The solution, refused where it is of several unknowns: `what` shows one."""
    unknowns = solution.problem.stated.unknowns
    if len(unknowns) > 1:
        names = ", ".join(str(unknown.symbol) for unknown in unknowns)
        name = unknowns[0].symbol.func.__name__
        raise ProblemError(
            f"{what} shows one unknown, but there are {len(unknowns)}, {names}; choose one, as in solution[{name!r}]"
        )
    return solution[unknowns[0].symbol]


def field_quantity(solution: Solution, part: Part | None = None, resolution: int | None = None) -> Quantity:
    """A solution of one unknown, or a part of it, as something to draw."""
    shown = choose_part(solution, part)

    def values(points: FloatArray) -> FloatArray:
        return part_values(solution(points, outside="extend"), shown)

    return Quantity(
        solution.problem,
        values,
        part_label(unknown_symbol(solution.problem), shown),
        highest_frequencies(solution),
        resolution=resolution,
        note=doubt(solution),
        cyclic=shown == "phase",
    )
