"""The style of pictures, and what all of them share."""

from __future__ import annotations

import base64
import math
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, final

import numpy as np
import sympy as sp

from fspielm.arrays import FloatArray
from fspielm.disk import describe, staged_file
from fspielm.errors import ProblemError
from fspielm.estimate.estimate import NO_DIGITS
from fspielm.geometry.pictures import INK as INK
from fspielm.geometry.pictures import PALETTE, require_matplotlib
from fspielm.problem.problem import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    from fspielm.solution.solution import Solution


# ---- Sizes, colours and type, independent of the user's settings

Width: TypeAlias = Literal["single", "double"]

# Inches: one and two columns of a journal.
WIDTHS: dict[str, float] = {"single": 3.5, "double": 7.0}

PALE = "#bbbbbb"
GRID = "#e3e3e3"
BLUE, VERMILION = PALETTE[:2]

# Symmetric about white for signed fields; even in lightness for the others.
SIGNED_COLOURS = "RdBu_r"
POSITIVE_COLOURS = "cividis"
LOGARITHMIC_COLOURS = "viridis"
# The same at both ends, light at zero and dark at half a turn.
PHASE_COLOURS = "twilight_shifted"

_SETTINGS: dict[str, Any] = {
    "font.size": 8.0,
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.axisbelow": True,
    "text.color": INK,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 0.0,
    "ytick.minor.size": 0.0,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.0,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.dpi": 200.0,
    # text stays text, which can be searched and edited
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    # the same picture gives the same bytes
    "svg.hashsalt": "fspielm",
}


@contextmanager
def style() -> Iterator[None]:
    """Use the package's style while something is drawn or written; the user's settings are restored afterwards."""
    from matplotlib.style import context

    with context(["default", _SETTINGS]):
        yield


def inches(width: Width) -> float:
    """The width of a figure in inches; an error for any other word."""
    if width not in WIDTHS:
        raise ProblemError(f"width must be one of {', '.join(map(repr, WIDTHS))}; got {width!r}")
    return WIDTHS[width]


@final
@dataclass(frozen=True)
class Layout:
    """Sizes in inches, proportions, and widths of lines in points, that pictures share."""

    # what is around panels: labels at the left, a colour bar at the right, or several narrow ones; title and labels
    left: float = 0.5
    right: float = 0.7
    narrow_bar: float = 0.5
    around: float = 0.6
    between: float = 0.3
    tallest: float = 6.0
    tallest_page: float = 9.0
    # words: titles and notes, lines of text, and letters in an inch of a title
    title: float = 0.2
    note: float = 0.2
    text: float = 0.15
    letters: int = 14
    beside_colours: float = 0.6  # the share of the width that a colour bar and its label leave to a title
    # panels with lines: height over width, and inches where there are several
    line_aspect: float = 0.6
    line_height: float = 1.2
    pair_height: float = 3.2  # of a solution and its error, and of a chart in a report
    spectrum_height: float = 3.3
    rounds_height: float = 2.3
    margin: float = 0.06  # above and below the values, relative to their range
    reach: float = 1.08  # the end of an axis, relative to the largest value
    space_time_aspect: float = 0.85  # height over width of a panel whose axes have different scales
    # modes: height over width of a map, at most; inches between panels
    mode_aspect: float = 1.5
    mode_gap: float = 0.1
    mode_title: float = 0.25
    caption_digits: int = 10  # of a value, at most
    # isosurfaces: height over width, the zoom of the box, and the darkest shade
    box_aspect: float = 0.8
    box_zoom: float = 0.95
    shadow: float = 0.45
    # ticks of one map, of several, and of many
    ticks: int = 5
    few_ticks: int = 4
    fewest_ticks: int = 3
    # type and lines
    note_size: float = 7.0
    small_size: float = 5.5
    thin: float = 0.5
    halo: float = 1.0
    faint: float = 0.6

    def words(self, title: str | None, note: str | None) -> float:
        """The height of a title and of a note, if there are any."""
        return self.title * (title is not None) + self.note * (note is not None)


LAYOUT = Layout()


def leave_open(axes: Axes) -> None:
    """A light grid, without a frame at the top and at the right."""
    axes.grid(True)
    axes.spines[["top", "right"]].set_visible(False)


# ---- Labels: the user's symbols, numbers and words


# Numbers between these are written without a power of ten.
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-3, 1e5


def as_math(expression: sp.Basic) -> str:
    """A symbol or function as mathematics, or as plain text where matplotlib does not know its TeX."""
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


def as_number(value: float) -> str:
    """A number with two digits and a power of ten, as mathematics."""
    if not math.isfinite(value):
        return "beyond all digits"
    return "0" if value == 0.0 else _with_power(f"{value:.1e}")


def is_plain(value: float) -> bool:
    """Whether a number is written without a power of ten."""
    return value == 0.0 or _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN


def as_plain(value: float, digits: int = 3) -> str:
    """A number as people write it: 0.25, 1200, and with a power of ten where it is far from one."""
    if is_plain(value):
        exponent = math.floor(math.log10(abs(value))) if value else 0
        return f"{value:.{digits}g}" if exponent < digits - 1 else f"{value:.0f}"
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    return _with_power(f"{float(mantissa):g}e{power}")


def _with_power(number: str) -> str:
    mantissa, exponent = number.split("e")
    return rf"${mantissa} \times 10^{{{int(exponent)}}}$"


def unknown_symbol(problem: Problem) -> sp.Symbol:
    """The unknown without its arguments."""
    return sp.Symbol(problem.unknown.func.__name__)


def label_upright(axes: Axes, symbol: sp.Basic) -> None:
    """Label the vertical axis with a symbol, horizontally if it has one or two letters."""
    level: dict[str, Any] = {"rotation": "horizontal", "ha": "right", "va": "center"} if len(str(symbol)) < 3 else {}
    axes.set_ylabel(as_math(symbol), **level)


def held_label(problem: Problem, at: FloatArray, shown: Collection[int]) -> str:
    """The values of the coordinates that are not shown, as in ``"t = 0.5"``; empty if all are shown."""
    return ", ".join(
        f"{as_math(symbol)} = {as_plain(value)}"
        for axis, (symbol, value) in enumerate(zip(problem.coordinates, at.tolist(), strict=True))
        if axis not in shown
    )


def wrapped(text: str, letters: int) -> str:
    """A text in lines of about so many letters, broken between words and never within mathematics."""
    lines: list[str] = []
    for word in re.findall(r"(?:\$[^$]*\$|\S)+", text):
        if lines and _letters(f"{lines[-1]} {word}") <= letters:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines)


def _letters(text: str) -> int:
    """The number of visible letters: commands count as one."""
    return len(re.sub(r"[${}^_]", "", re.sub(r"\\[A-Za-z]+ ?", "x", text)))


# ---- Figures: matplotlib's without pyplot, which notebooks display

_PASSES = 3


def new_picture(width: float, height: float) -> Figure:
    """A figure of the given size in inches, laid out so that nothing overlaps and nothing is cut.

    Its attribute `moving`, None by default, is a callable that makes an animation as GIF for notebooks.
    """
    return _picture_class()(width, height)


@cache
def _picture_class() -> Callable[[float, float], Figure]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    @final
    class Layout(ConstrainedLayoutEngine):
        """Repeated constrained layout: with panels of a fixed shape, once is not enough."""

        def execute(self, fig: Figure) -> None:
            """Place the panels."""
            for _ in range(_PASSES):
                super().execute(fig)

    @final
    class Picture(Figure):
        """A figure in which nothing overlaps."""

        def __init__(self, width: float, height: float) -> None:
            layout = Layout(w_pad=0.04, h_pad=0.04, wspace=0.03, hspace=0.05)
            super().__init__(figsize=(width, height), layout=layout, facecolor="white")
            FigureCanvasAgg(self)
            self.moving: Callable[[], bytes] | None = None

        def savefig(self, fname: Any, **options: Any) -> None:
            """Save the figure, with text kept as text."""
            with style():
                super().savefig(fname, **options)

        def _repr_png_(self) -> bytes:
            buffer = BytesIO()
            self.savefig(buffer, format="png", dpi=150)
            return buffer.getvalue()

        def _repr_html_(self) -> str | None:  # matplotlib's own is for one backend only
            if self.moving is None:
                return None
            return f'<img alt="animation" src="data:image/gif;base64,{base64.b64encode(self.moving()).decode()}">'

    return Picture


# ---- Files of pictures

F = TypeVar("F", bound="Figure")

FORMATS = (".png", ".pdf", ".svg", ".jpg")
MOVING_FORMATS = (".gif", ".mp4")

# Without the time of writing, the same picture gives the same file.
_TIMELESS: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def save_picture(figure: F, path: str | os.PathLike[str] | None) -> F:
    """Write a figure in the format that the suffix names, if there is a path, and return it.

    The file appears complete or not at all.
    """
    check_picture_path(path)
    if path is not None:
        with staged_file(path) as draft:
            figure.savefig(draft, metadata=_TIMELESS.get(draft.suffix.lower()))
    return figure


def check_picture_path(path: str | os.PathLike[str] | None, formats: tuple[str, ...] = FORMATS) -> None:
    """Raise an error, before any long computation, if no picture could be drawn, or written to `path`."""
    require_matplotlib()
    if path is None:
        return
    path = Path(path)
    if path.is_dir():
        raise ProblemError(f"cannot write a picture to {str(path)!r}: it is a folder")
    if path.suffix.lower() not in formats:
        raise ProblemError(f"the name of a picture must end in {', '.join(formats)}; got {path.name!r}")
    if path.suffix.lower() == ".mp4" and shutil.which("ffmpeg") is None:
        raise ProblemError(f"{path.name!r} needs the program ffmpeg, which is not installed; .gif needs nothing")
    try:
        TemporaryDirectory(prefix=".fspielm-", dir=path.parent).cleanup()
    except OSError as error:
        raise ProblemError(f"cannot write a picture to {str(path)!r}: {describe(error)}") from error


def is_moving(path: str | os.PathLike[str] | None) -> bool:
    """Whether the suffix is that of an animation."""
    return path is not None and Path(path).suffix.lower() in MOVING_FORMATS


# ---- Scales of colours and axes

MOST_DECADES = 6


@dataclass(frozen=True)
class Scale:
    """From `low` to `high`, in the colour map `colours`, with optional ticks."""

    low: float
    high: float
    colours: str
    logarithmic: bool = False
    ticks: Mapping[float, str] = field(default_factory=dict)

    @property
    def norm(self) -> Normalize:
        """The normalisation for matplotlib."""
        from matplotlib.colors import LogNorm, Normalize

        kind = LogNorm if self.logarithmic else Normalize
        return kind(self.low, self.high, clip=True)


def scale_for(values: FloatArray, *, logarithmic: bool) -> Scale:
    """The scale for `values`: in decades, or symmetric about zero where the sign changes."""
    if logarithmic:
        return Scale(*error_range(values), LOGARITHMIC_COLOURS, True)
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    largest = max(-low, high)
    if low < 0 < high:
        return Scale(-largest, largest, SIGNED_COLOURS)
    if low == high:  # a constant still needs a range to be drawn in
        low, high = (low - 0.5 * abs(low), high + 0.5 * abs(high)) if low else (-1.0, 1.0)
    return Scale(low, high, POSITIVE_COLOURS)


def phase_scale() -> Scale:
    """The scale of phases, from -pi to pi."""
    halves = {-1.0: r"$-\pi$", -0.5: r"$-\pi/2$", 0.0: "$0$", 0.5: r"$\pi/2$", 1.0: r"$\pi$"}
    return Scale(-np.pi, np.pi, PHASE_COLOURS, ticks={np.pi * turn: label for turn, label in halves.items()})


def error_range(error: FloatArray) -> tuple[float, float]:
    """Limits of a logarithmic scale in whole decades; the smallest percent is left out, as errors cross zero."""
    positive = error[np.isfinite(error) & (error > 0)]
    if positive.size == 0:
        return 1e-17, 1e-15
    top = int(np.ceil(np.log10(positive.max())))
    bottom = int(np.floor(np.log10(np.quantile(positive, 0.01))))
    return 10.0 ** max(min(bottom, top - 2), top - MOST_DECADES), 10.0**top


# ---- Notes on pictures of solutions that may be visibly wrong

# Smaller relative errors are not visible.
_VISIBLE = 1e-3


def doubt(solution: Solution) -> str | None:
    """The note on pictures of a solution; None if it converged, has no visible error, or was not estimated."""
    report = solution.report
    known = report.error_estimate
    if known is None:
        return None
    if not known < NO_DIGITS:
        return "not converged: no digits are reliable"
    if report.converged or known < _VISIBLE:
        return None
    return f"not converged: estimated relative error {as_number(known)}"


def add_note(figure: Figure, note: str | None) -> None:
    """Set a note at the foot of a figure, below everything else."""
    if note is not None:
        figure.supxlabel(note, x=0.99, ha="right", fontsize=LAYOUT.note_size, color=VERMILION)


def add_note_within(axes: Axes, note: str | None) -> None:
    """Set a note inside axes of the user's figure, which may have no room outside."""
    if note is None:
        return
    paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}
    looks: dict[str, Any] = {"fontsize": LAYOUT.note_size, "color": VERMILION, "bbox": paper}
    axes.text(0.98, 0.03, note, transform=axes.transAxes, ha="right", va="bottom", **looks)
