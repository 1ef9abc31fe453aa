"""Build HTML: plain strings are escaped, `Html` strings are not."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from html import escape


class Html(str):
    """Markup, as opposed to plain text."""

    __slots__ = ()

    def __add__(self, other: str) -> Html:
        return join((self, other))


def element(name: str, *children: str, **attributes: object) -> Html:
    """An element; children that are plain strings are escaped.

    Names of attributes lose a trailing underscore, and other underscores become hyphens. None omits an attribute; True
    gives it no value.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def join(children: Iterable[str], between: str = "") -> Html:
    """Join pieces, with plain strings escaped."""
    return Html(between.join(c if isinstance(c, Html) else escape(c) for c in children))


def number(value: float | None) -> Html:
    """A number in scientific notation."""
    if value is None:
        return Html("&ndash;")
    if not math.isfinite(value):
        return Html("not finite")
    mantissa, exponent = f"{value:.2e}".split("e")
    text = f"{mantissa}&#8239;&times;&#8239;10<sup>{int(exponent)}</sup>"
    return Html(text.replace("<sup>-", "<sup>&minus;"))


def typeset(text: str) -> str:
    """Plain text with pi and x, as in ``24 pi`` and ``100 x 100``, as proper characters."""
    text = re.sub(r"(\d) pi\b", "\\1\N{NARROW NO-BREAK SPACE}\N{GREEK SMALL LETTER PI}", text)
    return re.sub(r"(\d) x (\d)", "\\1\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}\\2", text)


def _attribute(key: str, value: object) -> str:
    name = key.removesuffix("_").replace("_", "-")
    if value is True:
        return f" {name}"
    return f' {name}="{escape(str(value))}"'
