"""A problem as mathematics: LaTeX for papers, HTML with MathML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import sympy as sp

from fspielm.equations.mathematics import as_latex, as_mathml
from fspielm.equations.typeset_lines import typeset_lines

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem

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


def problem_latex(problem: Problem) -> str:
    """The equation and its conditions as one aligned LaTeX formula, between dollar signs."""
    lines = [
        f"& {_latex(line.what, problem)} && {' '.join(_latex(w, problem) for w in line.where)}"
        for line in typeset_lines(problem)
    ]
    return "$\\displaystyle \\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$"


def problem_html(problem: Problem) -> str:
    """The same as a self-contained table, in MathML, which browsers set without help."""
    rows = []
    for line in typeset_lines(problem):
        where = " ".join(_html(part, problem) for part in line.where).replace(" , ", ", ")
        rows.append(_ROW.format(what=_html(line.what, problem), where=where))
    return _HTML.format(rows="\n".join(rows))


def _latex(item: sp.Basic | str, problem: Problem) -> str:
    if isinstance(item, str):
        return item if item == "," else rf"\text{{ {_escape_latex(item)} }}"
    return as_latex(item, problem.unknown)


def _html(item: sp.Basic | str, problem: Problem) -> str:
    if isinstance(item, str):
        return escape(item)
    return f'<math displaystyle="true">{as_mathml(item, problem.unknown)}</math>'


def _escape_latex(text: str) -> str:
    return "".join(f"\\{c}" if c in "&%$#_{}" else c for c in text if c not in "\\^~")
