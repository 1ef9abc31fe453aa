"""Fill the templates of pages and reports, by jinja2: whatever is put into HTML is escaped."""

from __future__ import annotations

import math
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fspielm.errors import ProblemError
from fspielm.geometry.pictures import require_matplotlib
from fspielm.wording import duration

if TYPE_CHECKING:
    from markupsafe import Markup


def require_pages() -> None:
    """Refuse, with a remedy, if what pages and their pictures need is not installed."""
    require_matplotlib()
    if find_spec("jinja2") is None:
        raise ProblemError('pages need jinja2: pip install "fspielm[plot]"')


def fill(template: str, **values: Any) -> str:
    """The text of a template of this package, with `values` in it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("fspielm.paper", ""),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"duration": duration, "number": number, "typeset": typeset}
    return environment.get_template(template).render(values)


def number(value: float | None) -> Markup:
    """A number in scientific notation; a dash if there is none."""
    from markupsafe import Markup

    if value is None:
        return Markup("&ndash;")
    if not math.isfinite(value):
        return Markup("not finite")
    mantissa, exponent = f"{value:.2e}".split("e")
    power = f"{int(exponent)}".replace("-", "&minus;")
    return Markup(f"{mantissa}&#8239;&times;&#8239;10<sup>{power}</sup>")


def typeset(text: str) -> str:
    """Plain text with pi and x, as in ``24 pi`` and ``100 x 100``, as proper characters."""
    text = re.sub(r"(\d) pi\b", "\\1\N{NARROW NO-BREAK SPACE}\N{GREEK SMALL LETTER PI}", text)
    return re.sub(r"(\d) x (\d)", "\\1\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}\\2", text)
