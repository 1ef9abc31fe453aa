"""The card that a notebook shows for a solution: a small picture, the verdict, and a few numbers."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from html import escape
from io import BytesIO
from itertools import zip_longest
from typing import TYPE_CHECKING, final

from fspielm.geometry.pictures import has_matplotlib
from fspielm.solution.plot.panels import View, draw_quantities
from fspielm.solution.plot.quantity import each_field, field_quantity
from fspielm.solution.plot.style import LAYOUT, add_note, doubt, new_picture, style
from fspielm.wording import duration

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


@final
@dataclass(frozen=True)
class _Thumbnail:
    """The size of the picture: inches and pixels, alone and among several; and limits."""

    inches: tuple[float, float] = (2.6, 2.1)
    small_inches: tuple[float, float] = (2.0, 1.6)
    pixels: tuple[int, int] = (260, 400)
    most_panels: int = 4  # unknowns that have a picture; all of them are named
    most_bytes: int = 60_000
    finest: int = 200
    colours: int = 128
    dots: tuple[int, ...] = (160, 120, 90, 60)  # per inch, until the picture is small enough


_SIZE = _Thumbnail()

_CARD = """\
<div style="display:inline-flex;flex-wrap:wrap;gap:16px;align-items:center;max-width:640px;padding:12px 16px;\
border:1px solid #d0d0d0;border-radius:6px;background:#fff;color:#222;font:13px/1.45 system-ui,sans-serif">
{picture}<div><div style="font-size:15px;font-weight:600">{unknown}</div>
<div style="margin:2px 0 8px;max-width:300px"><strong style="color:{colour}">{verdict}</strong>{reason}</div>
<table style="border-collapse:collapse;font:inherit;color:inherit;background:none;margin:0">\
{rows}</table></div></div>"""

_ROW = (
    '<tr style="background:none"><th scope="row" style="text-align:left;font-weight:400;color:#555;padding:1px 14px '
    '1px 0">{name}</th><td style="text-align:left;padding:1px 0">{value}</td></tr>'
)


def solution_card(solution: Solution) -> str:
    """Self-contained HTML; without matplotlib, it has no picture."""
    report = solution.report
    verdicts = {None: ("error not estimated", "#555"), True: ("converged", "#00704f")}
    verdict, colour = verdicts.get(report.converged, ("not converged", "#b34700"))
    numbers = {
        "estimated relative error": _estimates(solution),
        "tolerance": f"{report.tol:.1e}",
        **({"cells": report.tiling} if report.tiling else {}),
        report.noun: f"{report.neurons:,}".replace(",", "\N{NARROW NO-BREAK SPACE}"),
        "time": duration(sum(d.seconds for d in report.rounds) or sum(report.seconds.values())),
    }
    reason = f": {escape(report.reason)}" if report.reason else ""
    return _CARD.format(
        picture=_picture(solution) if has_matplotlib() else "",
        unknown=escape(_names(solution)),
        verdict=verdict,
        colour=colour,
        reason=reason,
        rows="".join(_ROW.format(name=name, value=escape(value)) for name, value in numbers.items()),
    )


def _names(solution: Solution) -> str:
    return ", ".join(str(unknown.symbol) for unknown in solution.problem.stated.unknowns)


def _estimates(solution: Solution) -> str:
    """The estimate; with several unknowns, that of each."""
    known = solution.report.error_estimate
    if known is None:
        return "none"
    fields = solution.report.fields
    if len(fields) < 2:
        return f"{known:.1e}"
    return ", ".join(f"{name}: {own.error_estimate:.1e}" for name, own in fields.items())


def _picture(solution: Solution) -> str:
    data = base64.b64encode(_thumbnail(solution)).decode()
    name = escape(_names(solution), quote=True)
    width = _SIZE.pixels[len(solution.problem.names) > 1]
    return f'<img alt="{name}" width="{width}" style="background:#fff" src="data:image/png;base64,{data}">\n'


def _thumbnail(solution: Solution) -> bytes:
    """The simplest picture of each unknown: a line, a map, the first slice; at the end of time."""
    from PIL import Image

    quantities = [
        replace(field_quantity(field), finest=_SIZE.finest, note=None)
        for field in each_field(solution)[: _SIZE.most_panels]
    ]
    with style():
        columns = 1 if len(quantities) == 1 else 2
        rows = -(-len(quantities) // columns)
        figure = new_picture(
            *(_SIZE.inches if columns == 1 else (_SIZE.small_inches[0] * columns, _SIZE.small_inches[1] * rows))
        )
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for panel, quantity in zip_longest(axes, quantities):
            if quantity is None:
                panel.remove()
            else:
                draw_quantities([quantity], View(ax=panel))
                if columns > 1:
                    panel.locator_params(nbins=LAYOUT.fewest_ticks)
        add_note(figure, doubt(solution))
    for dpi in _SIZE.dots:
        buffer = BytesIO()
        figure.savefig(buffer, format="png", dpi=dpi)
        small = BytesIO()
        with Image.open(buffer) as image:
            image.convert("RGB").quantize(_SIZE.colours * columns).save(small, "PNG", optimize=True)
        if len(small.getvalue()) <= _SIZE.most_bytes:
            break
    return small.getvalue()
