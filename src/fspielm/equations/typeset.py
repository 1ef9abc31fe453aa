"""A problem as mathematics: LaTeX for papers, HTML with MathML for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import sympy as sp

from fspielm.equations.mathematics import as_latex, as_mathml
from fspielm.equations.typeset_lines import Stated, TypesetLine, symbols_of, typeset_lines

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


def problem_latex(problem: Stated) -> str:
    """The equations and their conditions as one aligned LaTeX formula, between dollar signs."""
    lines = [f"& {_latex_what(line, problem)} && {_latex_place(line, problem)}" for line in typeset_lines(problem)]
    return "$\\displaystyle \\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$"


def problem_align(problem: Stated, parameters: Mapping[str, sp.Expr]) -> str:
    """The same for a paper, its equals signs one below the other, and the values of parameters last."""
    lines = []
    for line in typeset_lines(problem):
        first = line.what[0]
        if isinstance(first, sp.Equality):
            left, right = (_latex(side, problem) for side in first.args)
            what = _COMMA.join([f"{left} &= {right}", *(_latex(part, problem) for part in line.what[1:])])
        else:
            what = f"& {_latex_what(line, problem)}"
        lines.append(f"{what} && {_latex_place(line, problem)}".rstrip())
    lines += [f"{sp.latex(sp.Symbol(name))} &= {sp.latex(value)}" for name, value in parameters.items()]
    return "\\begin{align}\n  " + " \\\\\n  ".join(lines) + "\n\\end{align}"


def problem_html(problem: Stated) -> str:
    """The same as a self-contained table, in MathML, which browsers set without help."""
    rows = []
    for line in typeset_lines(problem):
        where = " ".join(_html(part, problem) for part in line.where).replace(" , ", ", ")
        what = ",\N{EM SPACE}".join(_html(part, problem) for part in line.what)
        rows.append(_ROW.format(what=what, where=where))
    return _HTML.format(rows="\n".join(rows))


def _latex_what(line: TypesetLine, problem: Stated) -> str:
    return _COMMA.join(_latex(part, problem) for part in line.what)


def _latex_place(line: TypesetLine, problem: Stated) -> str:
    return " ".join(_latex(part, problem) for part in line.where)


def _latex(item: sp.Basic | str, problem: Stated) -> str:
    if isinstance(item, str):
        return item if item == "," else rf"\text{{ {_escape_latex(item)} }}"
    return as_latex(item, symbols_of(problem))


def _html(item: sp.Basic | str, problem: Stated) -> str:
    if isinstance(item, str):
        return escape(item)
    return f'<math displaystyle="true">{as_mathml(item, symbols_of(problem))}</math>'


def _escape_latex(text: str) -> str:
    return "".join(f"\\{c}" if c in "&%$#_{}" else c for c in text if c not in "\\^~")
