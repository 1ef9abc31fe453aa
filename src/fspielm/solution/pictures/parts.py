"""The real number that a picture shows of a complex one: a part of it, its size, or its phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray, NumberArray
from fspielm.errors import ProblemError

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution

Part: TypeAlias = Literal["real", "imag", "abs", "phase"]


@dataclass(frozen=True)
class _Part:
    """How a part is computed, and how it is written before or around a name."""

    values: Callable[[NumberArray], FloatArray]
    label: Callable[[sp.Symbol], sp.Basic]


_PARTS: dict[str, _Part] = {
    "real": _Part(np.real, lambda name: _before(r"\mathrm{Re}", name)),
    "imag": _Part(np.imag, lambda name: _before(r"\mathrm{Im}", name)),
    "abs": _Part(np.abs, lambda name: sp.Symbol(f"|{sp.latex(name)}|")),
    "phase": _Part(np.angle, lambda name: _before(r"\mathrm{arg}", name)),
}


def choose_part(solution: Solution, part: Part | None) -> Part | None:
    """The part to show: of complex fields the real one by default, of real ones none, which is all of them."""
    if part is not None and part not in _PARTS:
        raise ProblemError(f"part must be one of {', '.join(map(repr, _PARTS))}; got {part!r}")
    return "real" if part is None and np.iscomplexobj(solution.coefficients) else part


def part_values(values: NumberArray, part: Part | None) -> FloatArray:
    """That part of numbers."""
    return values if part is None else np.asarray(_PARTS[part].values(values))


def part_label(name: sp.Symbol, part: Part | None) -> sp.Basic:
    """How that part of something is written."""
    return name if part is None else _PARTS[part].label(name)


def _before(word: str, name: sp.Symbol) -> sp.Symbol:
    return sp.Symbol(rf"{word}\,{sp.latex(name)}")
