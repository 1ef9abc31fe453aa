"""SymPy expressions in LaTeX and MathML, with unknowns written as in papers: without their arguments."""

from __future__ import annotations

from collections.abc import Collection
from html import escape, unescape
from typing import Any, final

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.printing.latex import LatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter

from fspielm.equations.normal import NormalComponent, NormalDerivative


def as_latex(expression: sp.Basic, unknowns: Collection[AppliedUndef]) -> str:
    """The expression in LaTeX."""
    text: str = _Latex(unknowns).doprint(expression)
    return text


def as_mathml(expression: sp.Basic, unknowns: Collection[AppliedUndef]) -> str:
    """The expression in presentation MathML, to stand between ``<math>`` and ``</math>``."""
    return _write(_MathML(unknowns)._print(expression))


def _write(node: Any) -> str:
    """Write a node of the document; SymPy's own writing escapes neither relations nor the names of symbols."""
    if node.nodeType == node.TEXT_NODE:
        return escape(unescape(node.data))
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in node.attributes.items())
    return f"<{node.tagName}{attributes}>{''.join(map(_write, node.childNodes))}</{node.tagName}>"


@final
class _Latex(LatexPrinter):  # type: ignore[misc]
    def __init__(self, unknowns: Collection[AppliedUndef]) -> None:
        super().__init__()
        self._unknowns = unknowns

    def _print_AppliedUndef(self, function: AppliedUndef, exp: Any = None) -> str:  # noqa: N802 (SymPy's name)
        if function not in self._unknowns:
            return str(self._print_Function(function, exp))
        name = self._print(sp.Symbol(function.func.__name__))
        return f"{name}^{{{exp}}}" if exp else str(name)

    def _print_Derivative(self, derivative: sp.Derivative) -> str:  # noqa: N802 (SymPy's name)
        order = _power(sum(count for _, count in derivative.variable_count))
        below = " ".join(
            rf"\partial {self._print(symbol)}{_power(count)}" for symbol, count in derivative.variable_count
        )
        return rf"\frac{{\partial{order} {self._print(derivative.expr)}}}{{{below}}}"


def _power(order: Any) -> str:
    return "" if order == 1 else f"^{{{order}}}"


@final
class _MathML(MathMLPresentationPrinter):  # type: ignore[misc]
    """As SymPy's, whose derivatives have their powers at the wrong place."""

    def __init__(self, unknowns: Collection[AppliedUndef]) -> None:
        super().__init__()
        self._unknowns = unknowns

    def _print_AppliedUndef(self, function: AppliedUndef) -> Any:  # noqa: N802
        if function in self._unknowns:
            return self._print(sp.Symbol(function.func.__name__))
        return self._print_Function(function)

    def _print_Exp1(self, number: Any) -> Any:  # noqa: N802
        return self._print(sp.Symbol("e"))  # an upright double-struck letter otherwise

    def _print_ImaginaryUnit(self, number: Any) -> Any:  # noqa: N802
        return self._print(sp.Symbol("i"))  # the same

    def _print_Derivative(self, derivative: sp.Derivative) -> Any:  # noqa: N802
        above, below, fraction = (self.dom.createElement(tag) for tag in ("mrow", "mrow", "mfrac"))
        above.appendChild(self._raised(self._sign("\N{PARTIAL DIFFERENTIAL}"), derivative.derivative_count))
        above.appendChild(self._print(derivative.expr))
        for symbol, count in derivative.variable_count:
            below.appendChild(self._sign("\N{PARTIAL DIFFERENTIAL}"))
            below.appendChild(self._raised(self._print(symbol), count))
        fraction.appendChild(above)
        fraction.appendChild(below)
        return fraction

    def _print_NormalDerivative(self, normal: NormalDerivative) -> Any:  # noqa: N802
        row, lowered = (self.dom.createElement(tag) for tag in ("mrow", "msub"))
        lowered.appendChild(self._sign("\N{PARTIAL DIFFERENTIAL}"))
        lowered.appendChild(self._print(sp.Symbol("n")))
        row.appendChild(self._raised(lowered, normal.order))
        row.appendChild(self._print(normal.function))
        return row

    def _print_NormalComponent(self, normal: NormalComponent) -> Any:  # noqa: N802
        lowered = self.dom.createElement("msub")
        lowered.appendChild(self._print(sp.Symbol("n")))
        lowered.appendChild(self._print(normal.coordinate))
        return lowered

    def _sign(self, text: str) -> Any:
        sign = self.dom.createElement("mo")
        sign.appendChild(self.dom.createTextNode(text))
        return sign

    def _raised(self, base: Any, power: Any) -> Any:
        if power == 1:
            return base
        raised = self.dom.createElement("msup")
        raised.appendChild(base)
        raised.appendChild(self._print(sp.sympify(power)))
        return raised
