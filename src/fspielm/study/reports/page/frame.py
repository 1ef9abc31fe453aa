"""The frame of a diagram in SVG: its axes, and the marks of the methods."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

from fspielm.study.reports.charts import LogScale
from fspielm.study.reports.markup import Html, element, join

Tick = tuple[float, str]


@final
@dataclass(frozen=True)
class Frame:
    """The place of a diagram inside its picture; positions within it are shares between 0 and 1."""

    width: float = 460.0
    height: float = 300.0
    left: float = 68.0
    right: float = 12.0
    top: float = 10.0
    bottom: float = 42.0

    def x(self, share: float) -> float:
        """From left to right."""
        return self.left + share * (self.width - self.left - self.right)

    def y(self, share: float) -> float:
        """From bottom to top."""
        return self.height - self.bottom - share * (self.height - self.top - self.bottom)

    def axes(self, x_ticks: Iterable[Tick], y_ticks: Iterable[Tick], x_label: str, y_label: str) -> Html:
        """Lines of a grid with numbers at the ticks, and what the axes are."""
        left, right, bottom, top = self.x(0), self.x(1), self.y(0), self.y(1)
        parts = []
        for share, label in x_ticks:
            x = self.x(share)
            parts.append(element("line", x1=x, x2=x, y1=bottom, y2=top, class_="grid"))
            parts.append(element("text", label, x=x, y=bottom + 14, text_anchor="middle"))
        for share, label in y_ticks:
            y = self.y(share)
            parts.append(element("line", x1=left, x2=right, y1=y, y2=y, class_="grid"))
            parts.append(element("text", label, x=left - 6, y=y + 4, text_anchor="end"))
        parts.append(element("path", d=f"M{left:.1f} {top:.1f}V{bottom:.1f}H{right:.1f}", class_="axis"))
        parts.append(element("text", x_label, x=self.x(0.5), y=self.height - 6, text_anchor="middle"))
        turned = f"rotate(-90 12 {self.y(0.5):.1f})"
        parts.append(element("text", y_label, x=12, y=self.y(0.5), text_anchor="middle", transform=turned))
        return join(parts)

    def picture(self, label: str, *content: Html) -> Html:
        """The whole, which a reader who does not see it is told by its label."""
        box = f"0 0 {self.width:g} {self.height:g}"
        named = {"role": "group", "aria_label": label} if label else {"aria_hidden": "true"}
        return element("svg", *content, viewBox=box, **named)


def mu(which: str) -> Html:
    """The smallest or the largest frequency as a symbol: ``"min"`` or ``"max"``."""
    return join(["μ", element("tspan", which, dy=3, font_size="78%")])


def log_ticks(scale: LogScale) -> list[Tick]:
    """The ticks of a logarithmic scale with their numbers."""
    return [(scale.share(tick), label) for tick, label in zip(scale.ticks, scale.labels(_power), strict=True)]


def _power(factor: str, exponent: int) -> Html:
    raised = element("tspan", f"{exponent}".replace("-", "\N{MINUS SIGN}"), dy=-4, font_size="80%")
    return join([factor and f"{factor}·", "10", raised])


def mark(method: str, tip: str, shape: Html) -> Html:
    """Something to point at, in the colour of a method; what it says is its label."""
    return element("g", shape, class_=f"mark m-{method}", tabindex=-1, role="img", aria_label=tip)


def symbol(method: str, x: float, y: float, r: float = 4.0) -> Html:
    """The shape of a method at a place, about as large as a disk of radius `r`."""
    return element("path", d=_outline(method, x, y, r))


def polyline(points: Sequence[tuple[float, float]]) -> str:
    """A path through points."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _outline(method: str, x: float, y: float, r: float) -> str:
    match method:
        case "tanh":
            return f"M{x - r:.1f} {y:.1f}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0z"
        case "siren":
            angles, radii = [45, 135, 225, 315], [1.25]
        case "gff":
            angles, radii = [90, 210, 330], [1.45]
        case "fs-l":
            angles, radii = [0, 90, 180, 270], [1.3]
        case "fs-g":
            angles, radii = [30, 150, 270], [1.45]
        case "fs-l-space":
            angles, radii = list(range(0, 360, 45)), [1.5, 0.6]
        case "fs-g-space":
            angles, radii = list(range(45, 405, 45)), [1.5, 0.6]
        case _:
            angles, radii = list(range(90, 450, 36)), [1.7, 0.75]
    corners = [
        (x + r * radii[k % len(radii)] * math.cos(a), y - r * radii[k % len(radii)] * math.sin(a))
        for k, a in enumerate(map(math.radians, angles))
    ]
    return polyline(corners) + "z"
