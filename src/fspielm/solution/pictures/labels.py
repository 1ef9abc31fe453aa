"""The user's symbols as labels that matplotlib can set."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import TYPE_CHECKING

import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.equations import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHORT = 2
# Numbers between these are written out.
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-3, 1e5


def as_math(expression: sp.Basic) -> str:
    """A symbol or function in mathematical type, or in plain type where matplotlib does not know its TeX."""
    from matplotlib.mathtext import MathTextParser

    label = f"${sp.latex(expression)}$"
    try:
        MathTextParser("path").parse(label)
    except ValueError:
        return as_text(str(expression))
    return label


def as_text(text: str) -> str:
    """Plain text, whose dollar signs do not start a formula."""
    return text.replace("$", r"\$")


def as_number(value: float) -> str:
    """A number with two digits as a power of ten, in mathematical type."""
    if not math.isfinite(value):
        return "beyond all digits"
    if value == 0.0:
        return "0"
    mantissa, exponent = f"{value:.1e}".split("e")
    return rf"${mantissa} \times 10^{{{int(exponent)}}}$"


def as_plain(value: float, digits: int = 3) -> str:
    """A number with so many digits as people write it: 0.25, 1200, and a power of ten where it is far from one."""
    if value == 0.0 or _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        exponent = math.floor(math.log10(abs(value))) if value else 0
        return f"{value:.{digits}g}" if exponent < digits - 1 else f"{value:.0f}"
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    return rf"${float(mantissa):g} \times 10^{{{int(power)}}}$"


def unknown_symbol(problem: Problem) -> sp.Symbol:
    """The unknown without its arguments, which the axes name."""
    return sp.Symbol(problem.unknown.func.__name__)


def label_upright(axes: Axes, symbol: sp.Basic) -> None:
    """Name the vertical axis after a symbol, which needs no turning unless it is long."""
    if len(str(symbol)) <= _SHORT:
        axes.set_ylabel(as_math(symbol), rotation="horizontal", ha="right", va="center")
    else:
        axes.set_ylabel(as_math(symbol))


def held_label(problem: Problem, at: FloatArray, shown: Collection[int]) -> str:
    """Where the coordinates that are not shown are held, as in ``"t = 0.5"``; empty if all are shown."""
    return ", ".join(
        f"{as_math(symbol)} = {as_plain(value)}"
        for axis, (symbol, value) in enumerate(zip(problem.coordinates, at.tolist(), strict=True))
        if axis not in shown
    )


def wrapped(text: str, letters: int) -> str:
    """A text in lines of about so many letters, broken between words and never within what is set as mathematics."""
    lines: list[str] = []
    for word in re.findall(r"(?:\$[^$]*\$|\S)+", text):
        if lines and _letters(f"{lines[-1]} {word}") <= letters:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)


def _letters(text: str) -> int:
    """How many there are to be seen: commands are one sign each."""
    return len(re.sub(r"[${}^_]", "", re.sub(r"\\[A-Za-z]+ ?", "x", text)))
