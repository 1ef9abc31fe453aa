"""The summaries over all subjects: best errors, and the ranges of frequencies they came from."""

from __future__ import annotations

from collections.abc import Callable

from fspielm.study.reports.analysis import LABELS, Cell, StudyResult, SubjectResult, paper_result
from fspielm.study.reports.illustrations import unique_slugs
from fspielm.study.reports.markup import Html, element, join
from fspielm.study.reports.page.tables import Value, beside, interval, scientific, table

_NOTHING = Value("–")


def summary(study: StudyResult) -> Html:
    """Two tables of subjects by methods, ours above and the paper's below in small."""
    paper = any(subject.case is not None for subject in study.subjects)
    below = " Below it, in small, what the paper has." if paper else ""
    parts = [
        element("h2", "Summary", id="summary"),
        element("h3", "Best errors"),
        element(
            "p",
            f"The smallest error of each method over all of its frequency ranges and seeds; the best method of a case "
            f"in bold.{below}",
            class_="small",
        ),
        _matrix(study, "Best error of every method", _error),
        element("h3", "Best frequency ranges"),
        element("p", f"The range [μ min, μ max] in which that error was found.{below}", class_="small"),
        _matrix(study, "Frequency range with the best error of every method", _range),
    ]
    return element("section", join(parts, "\n"))


def _matrix(study: StudyResult, caption: str, show: Callable[[SubjectResult, str, Cell], Value]) -> Html:
    slugs = unique_slugs(subject.name for subject in study.subjects)
    rows = []
    for subject in study.subjects:
        link = element("a", subject.name, href=f"#case-{slugs[subject.name]}")
        cells = [(method, subject.best(method)) for method in study.methods]
        rows.append([Value(link), *(show(subject, m, c) if c else _NOTHING for m, c in cells)])
    return table(caption, ["Case", *(LABELS[method] for method in study.methods)], rows)


def _error(subject: SubjectResult, method: str, cell: Cell) -> Value:
    assert cell.error is not None
    _, paper = paper_result(subject.case, method)
    ours = scientific(cell.error.best, strong=method == subject.best_method)
    return beside(ours, paper, lambda found: scientific(found.best))


def _range(subject: SubjectResult, method: str, cell: Cell) -> Value:
    _, paper = paper_result(subject.case, method)
    return beside(interval(cell.job.mu), paper, lambda found: interval(found.mu))
