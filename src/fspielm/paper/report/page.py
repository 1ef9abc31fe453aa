"""The HTML page of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import final

from fspielm.jobs.job import AUTOMATIC, ESTIMATE, EXACT, REFERENCE
from fspielm.jobs.plan import BEST, GRID, Sweep
from fspielm.paper.cases.case import PaperResult
from fspielm.paper.report.analysis import (
    LOOKS,
    Cell,
    Entry,
    Group,
    StudyResult,
    SubjectResult,
    Trouble,
    Variant,
    entries,
    failures,
    paper_result,
    unlike_the_paper,
    warned,
)
from fspielm.paper.report.figures import FORMATS, Illustration, unique_slugs
from fspielm.paper.report.markup import Html, element, join, number, typeset
from fspielm.version import __version__
from fspielm.wording import duration

# ---- Sortable tables


@final
@dataclass(frozen=True)
class Value:
    """The content of a table cell, and the number to sort it by; its text if that is None."""

    shown: str
    key: float | None = None


def table(
    caption: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[Value]],
    *,
    text_columns: int = 1,
) -> Html:
    """A table in a frame, which scrolls if the table is too wide; the caption is for screen readers."""

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
    """Our error over the paper's."""
    if value is None:
        return Value("–")
    text = f"{value:.0f}" if 10 <= value < 1000 else f"{value:.2g}" if 0.01 <= value < 10 else number(value)
    return Value(element("span", text, class_="good" if value <= 1 else "bad"), value)


def interval(mu: tuple[float, float] | None) -> Value:
    """A range of frequencies, sorted by its largest, then by its smallest frequency."""
    return Value("–") if mu is None else Value(f"[{mu[0]:g}, {mu[1]:g}]", mu[1] + 1e-6 * mu[0])


def with_paper(ours: Value, paper: PaperResult | None, show: Callable[[PaperResult], Value]) -> Value:
    """Our number and, in small below it, the paper's if there is one."""
    if paper is None:
        return ours
    return Value(join([ours.shown]) + element("span", show(paper).shown, class_="below"), ours.key)


def whole(value: int) -> Value:
    """An integer."""
    return Value(str(value), float(value))


def _key(value: Value) -> str | None:
    return None if value.key is None else repr(value.key)


# ---- Sections: failures and warnings, the plan, environments


_PAPER_RANGES = {BEST: "the paper's best of each method", GRID: "all that the paper tried"}


def troubles(study: StudyResult) -> Html:
    """The failed solves with their reasons, and the warnings of the solver; empty if there are none."""
    failed, doubtful = failures(study.rows), warned(study.rows)
    if not failed and not doubtful:
        return Html("")
    parts = [element("h2", "Failures and warnings", id="failures")]
    if failed:
        parts.append(_trouble_table("Failed solves", "Reason", failed))
    if doubtful:
        parts += [element("h3", "Warnings"), _trouble_table("Solves with a warning", "Warning", doubtful)]
    return element("section", join(parts, "\n"))


def _trouble_table(caption: str, heading: str, found: Sequence[Trouble]) -> Html:
    rows = [
        [
            Value(element("span", trouble.message or "no reason was given", class_="message")),
            whole(len(trouble.rows)),
            Value(", ".join(trouble.subjects)),
            Value(", ".join(LOOKS[method].label for method in trouble.methods)),
        ]
        for trouble in found
    ]
    return table(caption, [heading, "Solves", "Cases", "Methods"], rows)


def plan(study: StudyResult) -> Html:
    """The sweeps of the plan and the terms of every solve."""
    terms = study.terms
    facts = {
        "Solves": f"{study.planned} planned, {len(study.rows)} ended, {len(study.failed)} failed",
        "Threads of a solve": str(terms.threads),
        "Time of a solve": "no limit" if terms.seconds is None else f"at most {terms.seconds:g} s",
        "Tolerance": f"{terms.tol:g}, for the automatic solver",
    }
    sweeps = []
    for place, sweep in enumerate(study.plan.sweeps, 1):
        if len(study.plan.sweeps) > 1:
            sweeps.append(element("h3", f"Sweep {place} of {len(study.plan.sweeps)}"))
        sweeps.append(_facts(_sweep(sweep)))
    return element("section", element("h2", "The plan", id="plan"), _facts(facts), *sweeps)


def environments(study: StudyResult) -> Html:
    """The environments that the solves ran in."""
    parts = [element("h2", "Where it ran", id="environment")]
    known = {name: content for name, content in study.environments.items() if study.solves_on[name]}
    unknown = sum(count for name, count in study.solves_on.items() if name not in known)
    for name, content in known.items():
        count = study.solves_on[name]
        share = "all solves" if count == len(study.rows) else f"{count} of {len(study.rows)} solves"
        parts += [element("h3", f"Environment {name}: {share}"), _facts(content)]
    if unknown:
        parts.append(element("p", f"Where {unknown} solves ran is not known.", class_="small"))
    if not study.rows:
        parts.append(element("p", "Nothing has run yet.", class_="small"))
    return element("section", join(parts, "\n"))


def _sweep(sweep: Sweep) -> dict[str, str]:
    return {
        "Cases": ", ".join(sweep.subjects),
        "Methods": ", ".join(LOOKS[method].label for method in sweep.methods),
        "Frequency ranges": _ranges(sweep),
        "Neurons": ", ".join(map(str, sweep.neurons)) or "the paper's",
        "Least squares": ", ".join(sweep.least_squares),
        "Row scaling": ", ".join(sweep.scaling),
        "Seeds": ", ".join(map(str, sweep.seeds)),
    }


def _ranges(sweep: Sweep) -> str:
    if isinstance(sweep.mu, str):
        return _PAPER_RANGES[sweep.mu]
    return ", ".join(f"[{low:g}, {high:g}]" for low, high in sweep.mu)


def _facts(content: Mapping[str, str]) -> Html:
    items = [element("dt", name[:1].upper() + name[1:]) + element("dd", value) for name, value in content.items()]
    return element("dl", join(items, "\n"))


# ---- The section of one subject


_MEASURES = {
    EXACT: "Errors are relative L² errors against the exact solution",
    REFERENCE: "There is no exact solution: errors are relative L² distances from the reference solution",
    ESTIMATE: "There is nothing to compare with: errors are the solver's own estimates of the relative error",
}
_SMALL_PRINT = "In small the paper's numbers, at its own best range; a ratio is our error over the paper's. "


def subject_section(subject: SubjectResult, slug: str, pictures: Sequence[Illustration]) -> Html:
    """The section of a subject: its table, its charts, and all of its cells."""
    title, latex = typeset(subject.title), f"tables/case-{slug}.tex"
    small_print = _SMALL_PRINT if subject.case is not None else ""
    parts = [
        element("h2", title, id=f"case-{slug}"),
        element("p", _about(subject), class_="small"),
        _best_table(subject),
        element("p", small_print, "LaTeX: ", element("a", latex, href=latex), class_="files"),
    ]
    for group in subject.groups:
        own = [picture for picture in pictures if picture.group is group]
        if group.label:
            parts.append(element("h3", group.label[0].upper() + group.label[1:]))
        unlike = unlike_the_paper(subject.case, group.variant)
        if unlike:
            parts.append(element("p", f"Unlike the paper: {unlike}.", class_="small"))
        if own:
            parts += map(_figure, own)
    parts.append(_all_cells(subject))
    return element("section", join(parts, "\n"))


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
        row.append(Value(Variant.of(cell.job).describe() if method == AUTOMATIC else entry.group.label))
    time = seconds(None if cell.seconds is None else cell.seconds.mean)
    smallest = scientific(cell.error.best, strong=cell.error.best == best)
    row += [
        with_paper(interval(cell.job.mu), theirs, lambda paper: interval(paper.mu)),
        with_paper(smallest, theirs, lambda paper: scientific(paper.best)),
        with_paper(scientific(cell.error.mean), theirs, lambda paper: scientific(paper.mean)),
        with_paper(scientific(cell.error.deviation), theirs, lambda paper: scientific(paper.std)),
        with_paper(time, theirs, lambda paper: seconds(paper.seconds)),
        _seeds(cell),
    ]
    return [*row, ratio(entry.best_ratio), ratio(entry.mean_ratio)] if paper else row


def _method(entry: Entry) -> Value:
    """The name of the method and, below it, what the small numbers are."""
    method = entry.cell.job.method
    dot = element("span", "", class_="dot", style=f"background: {LOOKS[method].colour}", aria_hidden="true")
    if entry.paper is None:
        return Value(dot + LOOKS[method].label)
    theirs = "the paper" if entry.paper_method == method else f"the paper's {LOOKS[entry.paper_method].label}"
    below = "at the paper's range" if entry.at_paper_range else theirs
    return Value(dot + LOOKS[method].label + element("span", below, class_="below"))


def _seeds(cell: Cell) -> Value:
    return Value(cell.seeds, float(cell.error.count if cell.error else 0))


def _figure(picture: Illustration) -> Html:
    links = [
        element("a", suffix[1:].upper(), href=f"figures/{picture.stem}{suffix}", download=True) for suffix in FORMATS
    ]
    files = element("span", join(links, " "), class_="files")
    caption = element("figcaption", element("h4", picture.title), element("p", picture.caption, " ", files))
    return element("figure", element("div", picture.svg, class_="chart"), caption, id=f"figure-{picture.stem}")


def _all_cells(subject: SubjectResult) -> Html:
    several = len(subject.groups) > 1
    headings = ["Method", *(["Setting"] if several else []), "Range"]
    headings += ["Best", "Mean", "Deviation", "Median", "Worst", "Seconds", "Seeds"]
    variants = [group.variant for group in subject.groups]
    rows = []
    for cell in subject.cells:
        error = cell.error
        setting = [Value(Variant.of(cell.job).describe(variants))] if several else []
        numbers = [error and error.best, error and error.mean, error and error.deviation]
        numbers += [error and error.median, error and error.worst]
        row = [Value(LOOKS[cell.job.method].label), *setting, interval(cell.job.mu), *map(scientific, numbers)]
        rows.append([*row, seconds(None if cell.seconds is None else cell.seconds.mean), _seeds(cell)])
    shown = table(f"{subject.name}: all settings", headings, rows, text_columns=1 + several)
    return element("details", element("summary", f"All {len(rows)} settings"), shown)


# ---- The summary of all subjects


_NOTHING = Value("–")


def summary(study: StudyResult) -> Html:
    """Two tables of subjects by methods: the best errors, and the frequency ranges that gave them."""
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
    """A line for each setting of a subject, since errors of different sizes do not compare."""
    slugs = unique_slugs(subject.name for subject in study.subjects)
    rows = []
    for subject, group in ((one, group) for one in study.subjects for group in one.groups):
        link = element("a", subject.name, href=f"#case-{slugs[subject.name]}")
        name = link + element("span", group.label, class_="below") if group.label else link
        found = [(group.best(method), paper_result(subject.case, method)[1]) for method in study.methods]
        rows.append([Value(name), *(show(group, paper, cell) if cell else _NOTHING for cell, paper in found)])
    return table(caption, ["Case", *(LOOKS[method].label for method in study.methods)], rows)


def _error(group: Group, paper: PaperResult | None, cell: Cell) -> Value:
    assert cell.error is not None
    ours = scientific(cell.error.best, strong=cell.job.method == group.best_method)
    return with_paper(ours, paper, lambda found: scientific(found.best))


def _range(group: Group, paper: PaperResult | None, cell: Cell) -> Value:
    return with_paper(interval(cell.job.mu), paper, lambda found: interval(found.mu))


# ---- The whole page


# Marks a page of ours, which a newer one may replace.
GENERATOR = '<meta name="generator" content="fspielm study report">'


def report_page(study: StudyResult, pictures: Mapping[str, Sequence[Illustration]], files_beside: Sequence[str]) -> str:
    """The page of a study, with the charts of each subject and links to the files beside the page."""
    slugs = unique_slugs(subject.name for subject in study.subjects)
    sections = [subject_section(one, slugs[one.name], pictures[one.name]) for one in study.subjects]
    return _resource("page.html").format(
        generator=GENERATOR,
        style=_resource("page.css"),
        script=_resource("page.js"),
        title=join([f"Study “{study.plan.name}”"]),
        lead=element("p", _lead(study)),
        notice=_notice(study),
        contents=_contents(study, slugs),
        summary=summary(study),
        files=_files(files_beside),
        subjects=join(sections, "\n"),
        troubles=troubles(study),
        plan=plan(study),
        environments=environments(study),
        version=join([__version__]),
    )


def _resource(name: str) -> str:
    return files("fspielm.paper.report").joinpath(name).read_text(encoding="utf-8")


def _lead(study: StudyResult) -> str:
    spent = sum(row.outcome.seconds for row in study.rows)
    dates = sorted(row.ended[:10] for row in study.rows if row.ended)
    when = "" if not dates else f" on {dates[0]}" if dates[0] == dates[-1] else f" from {dates[0]} to {dates[-1]}"
    return (
        f"{_count(len(study.subjects), 'problem')}, {_count(len(study.methods), 'method')}, "
        f"{_count(len(study.rows), 'solve')}{when}; {duration(spent)} of computing together."
    )


def _notice(study: StudyResult) -> Html:
    """A notice that solves are missing or have failed."""
    said = []
    if not study.complete:
        said.append(f"This study is not finished: {len(study.rows)} of {study.planned} solves have ended.")
    if study.failed:
        link = element("a", f"{_count(len(study.failed), 'solve')} failed", href="#failures")
        said.append(link + ", and are in no number but the counts.")
    return element("p", join(said, " "), class_="notice") if said else Html("")


def _contents(study: StudyResult, slugs: Mapping[str, str]) -> Html:
    links = {"summary": "Summary"} | {f"case-{slugs[one.name]}": one.name for one in study.subjects}
    if failures(study.rows) or warned(study.rows):
        links["failures"] = "Failures and warnings"
    links |= {"plan": "The plan", "environment": "Where it ran"}
    items = [element("li", element("a", text, href=f"#{anchor}")) for anchor, text in links.items()]
    return element("ul", join(items, "\n"))


def _files(names: Sequence[str]) -> Html:
    links = [element("a", name, href=name) for name in names]
    return element("p", "Files: ", join(links, ", "), class_="files")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
