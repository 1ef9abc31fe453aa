"""The user's symbols as labels that matplotlib can set."""

from __future__ import annotations

import sympy as sp


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
