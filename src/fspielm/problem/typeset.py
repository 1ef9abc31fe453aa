"""A problem as mathematics: LaTeX for papers, MathML for notebooks."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from html import escape, unescape
from typing import Any, NamedTuple, Protocol, final

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.printing.latex import LatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter

from fspielm.geometry.domain import Domain
from fspielm.geometry.shapes.box import Box
from fspielm.geometry.time import SpaceTime, Time
from fspielm.problem.further_conditions import Condition, Measured, Periodic
from fspielm.problem.normal import NormalComponent, NormalDerivative, normal_derivative
from fspielm.problem.places import REST
from fspielm.problem.setting import Unknown
from fspielm.problem.statement import AnyCondition, Dirichlet, Initial, Neumann, Robin, Statement, Symmetry
from fspielm.problem.substitutions import ByRegion, is_plain_callable


def _write(node: Any) -> str:
    """Write a node of the document; SymPy escapes neither relations nor names of symbols."""
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
    """As SymPy's, but with the powers of derivatives at the right place."""

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
        above = self._raised(self._partial(), derivative.derivative_count), self._print(derivative.expr)
        below = [(self._partial(), self._raised(self._print(s), count)) for s, count in derivative.variable_count]
        return self._node("mfrac", self._node("mrow", *above), self._node("mrow", *(n for pair in below for n in pair)))

    def _print_NormalDerivative(self, normal: NormalDerivative) -> Any:  # noqa: N802
        lowered = self._node("msub", self._partial(), self._print(sp.Symbol("n")))
        return self._node("mrow", self._raised(lowered, normal.order), self._print(normal.function))

    def _print_NormalComponent(self, normal: NormalComponent) -> Any:  # noqa: N802
        return self._node("msub", self._print(sp.Symbol("n")), self._print(normal.coordinate))

    def _partial(self) -> Any:
        return self._node("mo", self.dom.createTextNode("\N{PARTIAL DIFFERENTIAL}"))

    def _raised(self, base: Any, power: Any) -> Any:
        return base if power == 1 else self._node("msup", base, self._print(sp.sympify(power)))

    def _node(self, tag: str, *children: Any) -> Any:
        node = self.dom.createElement(tag)
        for child in children:
            node.appendChild(child)
        return node


# ---- Problems


_COMMA = r",\quad "
_HTML = """\
<div style="display:inline-block;padding:12px 16px;border:1px solid #d0d0d0;border-radius:6px;background:#fff;\
color:#222;font:13px/1.45 system-ui,sans-serif">
<table style="border-collapse:collapse;font:inherit;color:inherit;background:none;margin:0">
{rows}
</table></div>"""
_ROW = (
    '<tr style="background:none"><td style="text-align:left;padding:3px 24px 3px 0;font-size:15px">{what}</td>'
    '<td style="text-align:left;padding:3px 0;color:#555">{where}</td></tr>'
)
_LONG_NUMBER = re.compile(r"\d+\.\d{5,}(e[-+]?\d+)?")


class _Stated(Protocol):
    """What can be typeset: a problem, or a draft of one."""

    @property
    def unknowns(self) -> tuple[Unknown, ...]:
        """What is solved for."""

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """Their arguments."""

    @property
    def statement(self) -> Statement:
        """What was written."""


class _TypesetLine(NamedTuple):
    """An equation or condition, by unknown, and where it holds: mathematics, or words without a formula."""

    what: tuple[sp.Basic | str, ...]
    where: tuple[sp.Basic | str, ...]


def _typeset_lines(problem: _Stated) -> list[_TypesetLine]:
    """The equations, their domain beside the first, then every condition with its place."""
    statement = problem.statement
    places = [_domain(statement.domain, problem.coordinates), *[()] * (len(statement.equations) - 1)]
    stated = [_TypesetLine((_equation(e),), place) for e, place in zip(statement.equations, places, strict=True)]
    return stated + [_stated(condition, problem) for condition in statement.conditions]


def _symbols_of(problem: _Stated) -> tuple[AppliedUndef, ...]:
    """The unknowns, as they are written."""
    return tuple(unknown.symbol for unknown in problem.unknowns)


def _equation(equation: sp.Basic) -> sp.Basic:
    return equation if isinstance(equation, sp.Equality) else sp.Eq(equation, 0, evaluate=False)


def _domain(domain: Domain, coordinates: Sequence[sp.Symbol]) -> tuple[sp.Basic | str, ...]:
    """Where the equation holds: intervals for boxes and time, otherwise the shape as it is written."""
    if isinstance(domain, Time):
        ends = (_number(domain.start), _number(domain.end))
        return (sp.Contains(coordinates[-1], sp.Interval.Lopen(*ends), evaluate=False),)
    if isinstance(domain, SpaceTime):
        return (*_domain(domain.space, coordinates[:-1]), ",", *_domain(domain.time, coordinates[-1:]))
    if not isinstance(domain, Box):
        return ("in", _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.4g}", repr(domain)))
    inside: list[sp.Basic | str] = []
    for symbol, low, high in zip(coordinates, domain.lower, domain.upper, strict=True):
        interval = sp.Interval.open(_number(low), _number(high))
        inside += [",", sp.Contains(symbol, interval, evaluate=False)]
    return tuple(inside[1:])


def _where(on: Any) -> tuple[sp.Basic | str, ...]:
    if on is None:
        return ("on the boundary",)
    if isinstance(on, sp.Basic):
        return ("where", on)
    if isinstance(on, str):
        return ("on the rest of the boundary" if on == REST else f"on {on}",)
    if isinstance(on, tuple):
        return (f"on {', '.join(on)}",)
    return (f"where {_name(on)} holds",)


def _each(operator: Callable[[Any], sp.Expr], value: Any, problem: _Stated) -> tuple[sp.Basic, ...]:
    """An equation for each unknown in a value: the operator on it equals its value."""
    return tuple(_equals(operator(symbol), one, problem) for symbol, one in _by_symbol(value, problem))


def _by_symbol(value: Any, problem: _Stated) -> list[tuple[sp.Expr, Any]]:
    """Each unknown in a value with its own value; dictionaries may use names of unknowns."""
    if not isinstance(value, Mapping):
        return [(symbol, value) for symbol in _symbols_of(problem)]
    return [
        (sp.Function(key)(*problem.coordinates) if isinstance(key, str) else key, one) for key, one in value.items()
    ]


def _equals(left: sp.Expr, value: Any, problem: _Stated) -> sp.Basic:
    return sp.Eq(left, _value(value, problem), evaluate=False)


def _value(value: Any, problem: _Stated) -> sp.Expr:
    """A number, an expression, or a callable as a function of its name."""
    if isinstance(value, ByRegion):
        return sp.Symbol(repr(value))
    if is_plain_callable(value):
        return sp.Function(_name(value))(*problem.coordinates)
    if isinstance(value, complex | np.complexfloating):
        return _number(float(value.real)) + sp.I * _number(float(value.imag))
    return value if isinstance(value, sp.Basic) else _number(float(value))


def _name(function: Callable[..., Any]) -> str:
    name = str(getattr(function, "__name__", type(function).__name__))
    return "g" if name == "<lambda>" else name


def _number(value: float) -> sp.Expr:
    return sp.Integer(int(value)) if float(value).is_integer() else sp.Float(f"{value:.6g}")


def _stated(condition: AnyCondition, problem: _Stated) -> _TypesetLine:
    """The line of a condition; unknown types show their `repr`."""
    where = _where(getattr(condition, "on", None))
    match condition:
        case Dirichlet():
            return _TypesetLine(_each(lambda unknown: unknown, condition.value, problem), where)
        case Neumann():
            return _TypesetLine(_each(normal_derivative, condition.value, problem), where)
        case Robin():
            alpha, beta = (_value(value, problem) for value in (condition.alpha, condition.beta))
            mixture = _each(lambda u: alpha * u + beta * normal_derivative(u), condition.value, problem)
            return _TypesetLine(mixture, where)
        case Symmetry():
            return _TypesetLine(_each(normal_derivative, 0, problem), ("by symmetry", *where))
        case Periodic(faces=faces, factor=factor):
            pair = f"in {faces}" if isinstance(faces, str) else f"from {faces[0]} to {faces[1]}"
            return _TypesetLine(("periodic",), (pair, *(() if factor == 1 else ("times", sp.sympify(factor)))))
        case Initial():
            time, start = problem.coordinates[-1], float(problem.statement.domain.bounding_box[0][-1])
            order = int(condition.order)
            what = _each(lambda unknown: unknown.diff(time, order) if order else unknown, condition.value, problem)
            return _TypesetLine(what, ("at", sp.Eq(time, _number(start), evaluate=False)))
        case Measured():
            values = _by_symbol(condition.values, problem)
            what = tuple(u if isinstance(value, tuple) else _equals(u, value, problem) for u, value in values)
            return _TypesetLine(what, (f"measured {_at_points(condition.points)}",))
        case Condition(at=at):
            inside = _at_points(at) if isinstance(at, tuple) else "on a curve inside"
            return _TypesetLine((_equation(condition.equation),), where if at is None else (inside,))
    return _TypesetLine((repr(condition),), ())


def _at_points(points: Any) -> str:
    return f"at {len(points)} point{'s' * (len(points) > 1)}"


def problem_latex(problem: _Stated) -> str:
    """The equations and their conditions as one aligned LaTeX formula, between dollar signs."""
    lines = [f"& {_latex_what(line, problem)} && {_latex_place(line, problem)}" for line in _typeset_lines(problem)]
    return "$\\displaystyle \\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$"


def problem_align(problem: _Stated, parameters: Mapping[str, sp.Expr]) -> str:
    """The same for a paper, with aligned equals signs, and the values of parameters last."""
    lines = []
    for line in _typeset_lines(problem):
        first = line.what[0]
        if isinstance(first, sp.Equality):
            left, right = (_latex(side, problem) for side in first.args)
            what = _COMMA.join([f"{left} &= {right}", *(_latex(part, problem) for part in line.what[1:])])
        else:
            what = f"& {_latex_what(line, problem)}"
        lines.append(f"{what} && {_latex_place(line, problem)}".rstrip())
    lines += [f"{sp.latex(sp.Symbol(name))} &= {sp.latex(value)}" for name, value in parameters.items()]
    return "\\begin{align}\n  " + " \\\\\n  ".join(lines) + "\n\\end{align}"


def problem_html(problem: _Stated) -> str:
    """The same as a self-contained HTML table with MathML."""
    rows = []
    for line in _typeset_lines(problem):
        where = " ".join(_html(part, problem) for part in line.where).replace(" , ", ", ")
        what = ",\N{EM SPACE}".join(_html(part, problem) for part in line.what)
        rows.append(_ROW.format(what=what, where=where))
    return _HTML.format(rows="\n".join(rows))


def _latex_what(line: _TypesetLine, problem: _Stated) -> str:
    return _COMMA.join(_latex(part, problem) for part in line.what)


def _latex_place(line: _TypesetLine, problem: _Stated) -> str:
    return " ".join(_latex(part, problem) for part in line.where)


def _latex(item: sp.Basic | str, problem: _Stated) -> str:
    if isinstance(item, str):
        escaped = "".join(f"\\{c}" if c in "&%$#_{}" else c for c in item if c not in "\\^~")
        return item if item == "," else rf"\text{{ {escaped} }}"
    return str(_Latex(_symbols_of(problem)).doprint(item))


def _html(item: sp.Basic | str, problem: _Stated) -> str:
    if isinstance(item, str):
        return escape(item)
    return f'<math displaystyle="true">{_write(_MathML(_symbols_of(problem))._print(item))}</math>'
