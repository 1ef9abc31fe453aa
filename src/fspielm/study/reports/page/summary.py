"""The summaries over all subjects: best errors, and the ranges of frequencies they came from."""

from __future__ import annotations

from collections.abc import Callable

from fspielm.cases import PaperResult
from fspielm.study.reports.analysis import LABELS, Cell, Group, StudyResult, paper_result, unlike_the_paper
from fspielm.study.reports.illustrations import unique_slugs
from fspielm.study.reports.markup import Html, element, join
from fspielm.study.reports.page.tables import Value, beside, interval, scientific, table

_NOTHING = Value("–")


def summary(study: StudyResult) -> Html:
    """Two tables of subjects by methods, ours above and the paper's below in small."""
    paper = any(subject.case is not None for subject in study.subjects)
    below = " Below it, in small, what the paper has." if paper else ""
    unlike = any(unlike_the_paper(one.case, group.variant) for one in study.subjects for group in one.groups)
    warning = " The settings are not everywhere the paper's: each case says where they differ." if unlike else ""
    parts = [
        element("h2", "Summary", id="summary"),
        element("h3", "Best errors"),
        element(
            "p",
            f"The smallest error of each method over all of its frequency ranges and seeds; the best method of a line "
            f"in bold.{below}{warning}",
            class_="small",
        ),
        _matrix(study, "Best error of every method", _error),
        element("h3", "Best frequency ranges"),
        element("p", f"The range [μ min, μ max] in which that error was found.{below}", class_="small"),
        _matrix(study, "Frequency range with the best error of every method", _range),
    ]
    return element("section", join(parts, "\n"))


def _matrix(study: StudyResult, caption: str, show: Callable[[Group, PaperResult | None, Cell], Value]) -> Html:
    """A line for each setting of a subject: errors of different sizes do not compare."""
    slugs = unique_slugs(subject.name for subject in study.subjects)
    rows = []
    for subject, group in ((one, group) for one in study.subjects for group in one.groups):
        link = element("a", subject.name, href=f"#case-{slugs[subject.name]}")
        name = link + element("span", group.label, class_="below") if group.label else link
        found = [(group.best(method), paper_result(subject.case, method)[1]) for method in study.methods]
        rows.append([Value(name), *(show(group, paper, cell) if cell else _NOTHING for cell, paper in found)])
    return table(caption, ["Case", *(LABELS[method] for method in study.methods)], rows)


def _error(group: Group, paper: PaperResult | None, cell: Cell) -> Value:
    assert cell.error is not None
    ours = scientific(cell.error.best, strong=cell.job.method == group.best_method)
    return beside(ours, paper, lambda found: scientific(found.best))


def _range(group: Group, paper: PaperResult | None, cell: Cell) -> Value:
    return beside(interval(cell.job.mu), paper, lambda found: interval(found.mu))
