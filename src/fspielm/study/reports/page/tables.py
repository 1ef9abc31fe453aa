"""Tables that a reader can sort."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import final

from fspielm.cases import PaperResult
from fspielm.study.reports.markup import Html, element, join, number


@final
@dataclass(frozen=True)
class Value:
    """What stands in a table: how it looks, and what it is sorted by (its text if None)."""

    shown: str
    key: float | None = None


def table(
    caption: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[Value]],
    *,
    text_columns: int = 1,
) -> Html:
    """A table inside a frame of its own that scrolls if it is too wide.

    Parameters
    ----------
    caption : str
        For those who do not see it.
    headings : sequence of str
    rows : iterable of sequence of Value
    text_columns : int
        How many columns at the left are text.
    """

    def kind(column: int) -> str | None:
        return "text" if column < text_columns else None

    names = [
        element("th", element("button", text, type="button"), scope="col", class_=kind(k), aria_sort="none")
        for k, text in enumerate(headings)
    ]
    body = [
        element(
            "tr",
            element("th", row[0].shown, scope="row", data_key=_key(row[0])),
            *(element("td", value.shown, class_=kind(k), data_key=_key(value)) for k, value in enumerate(row[1:], 1)),
        )
        for row in rows
    ]
    head, rest = element("thead", element("tr", *names)), element("tbody", join(body, "\n"))
    content = element("table", element("caption", caption), head, rest, class_="sortable")
    return element("div", content, class_="scroll", tabindex=0, role="region", aria_label=caption)


def scientific(value: float | None, *, strong: bool = False) -> Value:
    """A number in scientific notation; a dash if there is none."""
    shown = number(value)
    return Value(element("strong", shown) if strong else shown, value)


def seconds(value: float | None) -> Value:
    """Seconds with three digits."""
    return Value("–" if value is None else f"{value:.3g}", value)


def ratio(value: float | None) -> Value:
    """How many times the paper's error ours is: up to 1 is as good."""
    if value is None:
        return Value("–")
    text = f"{value:.0f}" if 10 <= value < 1000 else f"{value:.2g}" if 0.01 <= value < 10 else number(value)
    return Value(element("span", text, class_="good" if value <= 1 else "bad"), value)


def interval(mu: tuple[float, float] | None) -> Value:
    """A range of frequencies, sorted by its largest, then its smallest."""
    return Value("–") if mu is None else Value(f"[{mu[0]:g}, {mu[1]:g}]", mu[1] + 1e-6 * mu[0])


def beside(ours: Value, paper: PaperResult | None, show: Callable[[PaperResult], Value]) -> Value:
    """Our number, and in small below it the paper's, if it has one."""
    if paper is None:
        return ours
    return Value(join([ours.shown]) + element("span", show(paper).shown, class_="below"), ours.key)


def whole(value: int) -> Value:
    """A number of things."""
    return Value(str(value), float(value))


def text(shown: str) -> Value:
    """Text, sorted as such."""
    return Value(shown)


def _key(value: Value) -> str | None:
    return None if value.key is None else repr(value.key)
