"""The report on the theory: a folder with tables, figures and findings."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from fspielm.disk import check_replaceable, staged_folder
from fspielm.paper.templates import require_pages
from fspielm.paper.theory.comparison import (
    DIMENSIONS,
    FREQUENCIES,
    MAGNITUDES,
    MARK,
    SAMPLES,
    Comparison,
    RatioComparison,
    check_samples,
    compare,
    compare_ratios,
    findings,
    significant,
)
from fspielm.paper.theory.moments import SCHEMES
from fspielm.paper.theory.pictures import draw_densities, draw_moments, draw_ratios
from fspielm.solution.plot.style import save_picture
from fspielm.solvers.request import spawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# ---- The comparison as CSV and as a LaTeX table


# The columns of the files, and the attributes of rows that they hold.
_MOMENTS = {
    **{name: name for name in ("scheme", "dimension", "mu")},
    **{f"{law}_{name}": f"{law}.{name}" for law in ("exact", "paper") for name in ("mean", "variance")},
    "samples": "sampled.size",
    **{f"sampled_{name}": f"sampled.{name}" for name in ("mean", "mean_error", "variance", "variance_error")},
    **{name: name for name in ("mean_deviation", "variance_deviation")},
}
_RATIOS = {
    **{name: name for name in ("dimension", "frequency", "delta", "mu", "shift_variance")},
    **{f"{name}_ratio": name for name in ("exact", "paper", "sampled")},
    **{"sampled_ratio_error": "sampled_error", "deviation": "deviation"},
}


def moments_csv(rows: Sequence[Comparison]) -> str:
    """One line for each scheme, dimension and magnitude, with all digits; relative deviations are the paper's."""
    return _as_csv(_MOMENTS, rows)


def ratios_csv(rows: Sequence[RatioComparison]) -> str:
    """One line for each dimension and mean frequency, with all digits; the relative deviation is the paper's."""
    return _as_csv(_RATIOS, rows)


def ratios_latex(rows: Sequence[RatioComparison]) -> str:
    r"""A table of variance ratios for a document that uses the package ``booktabs``."""
    dimensions = sorted({row.dimension for row in rows})
    by_cell = {(row.frequency, row.dimension): row for row in rows}
    heads = " & ".join(rf"\multicolumn{{2}}{{c}}{{$d = {dimension}$}}" for dimension in dimensions)
    rules = "".join(rf"\cmidrule(lr){{{2 * i + 2}-{2 * i + 3}}}" for i in range(len(dimensions)))
    lines = []
    for frequency in sorted({row.frequency for row in rows}):
        cells = [
            significant(value)
            for dimension in dimensions
            for value in (by_cell[frequency, dimension].exact, by_cell[frequency, dimension].paper)
        ]
        lines.append(rf"{frequency:g} & {' & '.join(cells)} \\")
    return "\n".join(
        [
            "% Needs \\usepackage{booktabs}.",
            r"\begin{tabular}{r" + "rr" * len(dimensions) + "}",
            r"\toprule",
            rf" & {heads} \\",
            rules,
            r"$\nu^*$" + " & exact & paper" * len(dimensions) + r" \\",
            r"\midrule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _as_csv(columns: Mapping[str, str], rows: Sequence[object]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(attrgetter(*columns.values()), rows))
    return text.getvalue()


# ---- The folder


_REPORT = "theory.md"
_PICTURES = ("variance_ratio", "moments", "densities")
_FORMATS = (".png", ".pdf")

FILES = frozenset(
    {_REPORT, "theory.csv", "theory.tex", "variance_ratio.csv"}
    | {name + suffix for name in _PICTURES for suffix in _FORMATS}
)

# How many steps `write_theory` reports: one for each row of a table, and for each figure.
STEPS = len(DIMENSIONS) * (len(SCHEMES) * len(MAGNITUDES) + len(FREQUENCIES)) + len(_PICTURES)


def write_theory(
    out: str | os.PathLike[str], *, rng: int = 0, samples: int = SAMPLES, ends: Callable[[], None] = lambda: None
) -> None:
    """Compare the statistics of effective frequencies with the paper's theorems, and write the results to `out`.

    ``theory.md`` has the findings. Beside it are the moments (``theory.csv``, ``moments.png``), the variance ratios
    (``variance_ratio.csv``, ``variance_ratio.png``, and ``theory.tex`` for LaTeX with booktabs) and the distributions
    (``densities.png``); every picture is there as PDF too.

    Parameters
    ----------
    out : path
        A folder for the results alone. It appears, or is replaced, once everything is finished.
    rng : int
    samples : int
        Neurons drawn for each row.
    ends : callable
        Called after each of `STEPS` steps, to show the progress.
    """
    require_pages()
    check_samples(samples)
    target = Path(out)
    check_replaceable(target, FILES, mark=MARK, marked=_REPORT)
    (for_moments, for_ratios, for_densities), _ = spawn(rng, 3)
    rows = compare(samples=samples, rng=for_moments, ends=ends)
    ratios = compare_ratios(samples=samples, rng=for_ratios, ends=ends)
    texts = {
        _REPORT: findings(rows, ratios, rng=rng),
        "theory.csv": moments_csv(rows),
        "theory.tex": ratios_latex(ratios),
        "variance_ratio.csv": ratios_csv(ratios),
    }
    pictures: dict[str, Callable[[], Figure]] = {
        "variance_ratio": lambda: draw_ratios(ratios),
        "moments": lambda: draw_moments(rows),
        "densities": lambda: draw_densities(samples=samples, rng=for_densities),
    }
    with staged_folder(target) as folder:
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        for name, draw in pictures.items():
            figure = draw()
            for suffix in _FORMATS:
                save_picture(figure, folder / (name + suffix))
                figure.set_layout_engine("none")  # laid out once, the panels stay where they are
            ends()
