"""The section of one subject: its table, its pictures, and all of its cells."""

from __future__ import annotations

from collections.abc import Sequence

from fspielm.study.job import AUTOMATIC
from fspielm.study.outcome import ESTIMATE, EXACT, REFERENCE
from fspielm.study.reports.analysis import LABELS, Cell, Entry, Group, SubjectResult, Variant, entries, unlike_the_paper
from fspielm.study.reports.figures import FORMATS
from fspielm.study.reports.illustrations import Illustration
from fspielm.study.reports.markup import Html, element, join, typeset
from fspielm.study.reports.page.frame import Frame, symbol
from fspielm.study.reports.page.tables import Value, beside, interval, ratio, scientific, seconds, table, text

_MEASURES = {
    EXACT: "Errors are relative L² errors against the exact solution",
    REFERENCE: "There is no exact solution: errors are relative L² distances from the reference solution",
    ESTIMATE: "There is nothing to compare with: errors are the solver's own estimates of the relative error",
}
_SMALL_PRINT = "In small the paper's numbers, at its own best range; a ratio is our error over the paper's. "


def subject_section(subject: SubjectResult, slug: str, pictures: Sequence[Illustration]) -> Html:
    """Everything about a subject."""
    title = typeset(subject.title)
    parts = [
        element("h2", title, id=f"case-{slug}"),
        element("p", _about(subject), class_="small"),
        _best_table(subject),
        element("p", _SMALL_PRINT if subject.case is not None else "", *_latex_link(slug), class_="files"),
    ]
    for group in subject.groups:
        own = [picture for picture in pictures if picture.group is group]
        if group.label:
            parts.append(element("h3", group.label[0].upper() + group.label[1:]))
        unlike = unlike_the_paper(subject.case, group.variant)
        if unlike:
            parts.append(element("p", f"Unlike the paper: {unlike}.", class_="small"))
        if own:
            parts += [_legend(group), element("div", join(map(_figure, own), "\n"), class_="figures")]
    parts.append(_all_cells(subject))
    return element("section", join(parts, "\n"))


def _latex_link(slug: str) -> tuple[str, Html]:
    name = f"tables/case-{slug}.tex"
    return "LaTeX: ", element("a", name, href=name)


def _about(subject: SubjectResult) -> str:
    said = [subject.name] if subject.case is not None else []
    case = subject.case
    at = "" if case is None or case.time_slice is None else f" at time {case.time_slice:g}"
    said.append(_MEASURES.get(subject.measure, _MEASURES[EXACT]) + at)
    ended = len(subject.rows)
    said.append(f"{ended} solves" if ended == subject.planned else f"{ended} of {subject.planned} solves so far")
    if case is not None and case.notes:
        said.append(typeset(case.notes).rstrip("."))
    return ". ".join(said) + "."


def _best_table(subject: SubjectResult) -> Html:
    found = entries(subject)
    if not found:
        return element("p", "No solve has given a number yet.", class_="notice")
    several, paper = len(subject.groups) > 1, subject.case is not None
    best = min(entry.cell.error.best for entry in found if entry.cell.error)
    headings = ["Method", *(["Setting"] if several else []), "Range", "Best", "Mean", "Deviation", "Seconds", "Seeds"]
    if paper:
        headings += ["Best / paper's", "Mean / paper's"]
    rows = [_line(entry, several, paper, best) for entry in found]
    return table(f"{subject.name}: every method at its best range", headings, rows, text_columns=1 + several)


def _line(entry: Entry, several: bool, paper: bool, best: float) -> list[Value]:
    cell, theirs = entry.cell, entry.paper
    assert cell.error is not None
    method = cell.job.method
    row = [_method(entry)]
    if several:
        row.append(text(Variant.of(cell.job).describe() if method == AUTOMATIC else entry.group.label))
    time = seconds(None if cell.seconds is None else cell.seconds.mean)
    smallest = scientific(cell.error.best, strong=cell.error.best == best)
    row += [
        beside(interval(cell.job.mu), theirs, lambda paper: interval(paper.mu)),
        beside(smallest, theirs, lambda paper: scientific(paper.best)),
        beside(scientific(cell.error.mean), theirs, lambda paper: scientific(paper.mean)),
        beside(scientific(cell.error.deviation), theirs, lambda paper: scientific(paper.std)),
        beside(time, theirs, lambda paper: seconds(paper.seconds)),
        _seeds(cell),
    ]
    return [*row, ratio(entry.best_ratio), ratio(entry.mean_ratio)] if paper else row


def _method(entry: Entry) -> Value:
    """The method's name; below it what the small numbers are."""
    method = entry.cell.job.method
    dot = element("span", "", class_=f"dot m-{method}", aria_hidden="true")
    if entry.paper is None:
        return Value(dot + LABELS[method])
    theirs = "the paper" if entry.paper_method == method else f"the paper's {LABELS[entry.paper_method]}"
    below = "at the paper's range" if entry.at_paper_range else theirs
    return Value(dot + LABELS[method] + element("span", below, class_="below"))


def _seeds(cell: Cell) -> Value:
    return Value(cell.seeds, float(cell.error.count if cell.error else 0))


def _legend(group: Group) -> Html:
    """The methods with their colours and shapes."""
    frame = Frame(width=18, height=14)
    keys = [
        element("li", frame.picture("", symbol(method, 9, 7, 4.5)), LABELS[method], class_=f"m-{method}")
        for method in group.methods
    ]
    return element("ul", join(keys), class_="legend")


def _figure(picture: Illustration) -> Html:
    links = [
        element("a", suffix[1:].upper(), href=f"figures/{picture.stem}{suffix}", download=True) for suffix in FORMATS
    ]
    files = element("span", join(links, " "), class_="files")
    caption = element("figcaption", element("h4", picture.title), element("p", picture.caption, " ", files))
    wide = "wide" if picture.stem.endswith("-heat-map") else None
    return element("figure", picture.svg(), caption, id=f"figure-{picture.stem}", class_=wide)


def _all_cells(subject: SubjectResult) -> Html:
    several = len(subject.groups) > 1
    headings = ["Method", *(["Setting"] if several else []), "Range"]
    headings += ["Best", "Mean", "Deviation", "Median", "Worst", "Seconds", "Seeds"]
    variants = [group.variant for group in subject.groups]
    rows = []
    for cell in subject.cells:
        error = cell.error
        setting = [text(Variant.of(cell.job).describe(variants))] if several else []
        numbers = [error and error.best, error and error.mean, error and error.deviation]
        numbers += [error and error.median, error and error.worst]
        row = [text(LABELS[cell.job.method]), *setting, interval(cell.job.mu), *map(scientific, numbers)]
        rows.append([*row, seconds(None if cell.seconds is None else cell.seconds.mean), _seeds(cell)])
    shown = table(f"{subject.name}: all settings", headings, rows, text_columns=1 + several)
    return element("details", element("summary", f"All {len(rows)} settings"), shown)
