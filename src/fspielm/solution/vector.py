"""Which unknowns of a problem are the components of a vector, by their names."""

from __future__ import annotations

from collections.abc import Sequence

from fspielm.equations import Problem

_LETTERS = ("u", "v", "w")


def vectors_of(problem: Problem) -> dict[str, tuple[int, ...]]:
    """The vectors among the unknowns: from their names to the places of their components, along x, y and so on.

    Names tell them, one component for each coordinate of space: ``u, v, w`` (the vector ``uvw``), a letter with the
    coordinates (``Ex, Ey`` or ``E_x, E_y``, the vector ``E``), or with numbers (``u1, u2`` or ``u_1, u_2``).
    """
    names = problem.names
    space = [str(symbol) for symbol in problem.coordinates[: problem.dimension - (problem.domain.time is not None)]]
    if len(space) < 2:
        return {}
    numbers = [str(number + 1) for number in range(len(space))]
    found = _places("".join(_LETTERS[: len(space)]), _LETTERS[: len(space)], names) if len(space) <= 3 else {}
    for ends in (space, numbers):
        for stem in dict.fromkeys(name.removesuffix(ends[0]) for name in names if name.endswith(ends[0])):
            if stem.rstrip("_"):
                found |= _places(stem.rstrip("_"), [stem + end for end in ends], names)
    return {vector: places for vector, places in found.items() if vector not in names}


def _places(vector: str, components: Sequence[str], names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    if not set(components) <= set(names):
        return {}
    return {vector: tuple(names.index(component) for component in components)}
