"""The comparison as CSV and as a LaTeX table."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO

from fspielm.study.theory.comparison import Comparison
from fspielm.study.theory.markdown import significant
from fspielm.study.theory.ratios import RatioComparison

_MOMENTS_HEADER = (
    *("scheme", "dimension", "mu", "exact_mean", "exact_variance", "paper_mean", "paper_variance"),
    *("samples", "sampled_mean", "sampled_mean_error", "sampled_variance", "sampled_variance_error"),
    *("mean_deviation", "variance_deviation"),
)
_RATIOS_HEADER = (
    *("dimension", "frequency", "delta", "mu", "shift_variance", "exact_ratio", "paper_ratio"),
    *("sampled_ratio", "sampled_ratio_error", "deviation"),
)


def moments_csv(rows: Sequence[Comparison]) -> str:
    """One line for each scheme, dimension and magnitude, with every digit; deviations are the paper's, relative."""
    return _as_csv(
        _MOMENTS_HEADER,
        [
            (
                *(row.scheme, row.dimension, row.mu, row.exact.mean, row.exact.variance),
                *(row.paper.mean, row.paper.variance, row.sampled.size, row.sampled.mean, row.sampled.mean_error),
                *(row.sampled.variance, row.sampled.variance_error, row.mean_deviation, row.variance_deviation),
            )
            for row in rows
        ],
    )


def ratios_csv(rows: Sequence[RatioComparison]) -> str:
    """One line for each dimension and mean frequency, with every digit; the deviation is the paper's, relative."""
    return _as_csv(
        _RATIOS_HEADER,
        [
            (
                *(row.dimension, row.frequency, row.delta, row.mu, row.shift_variance, row.exact, row.paper),
                *(row.sampled, row.sampled_error, row.deviation),
            )
            for row in rows
        ],
    )


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


def _as_csv(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
