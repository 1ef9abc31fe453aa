"""The HTML page of a report: the values of its template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized

from fspielm.jobs.job import AUTOMATIC, ESTIMATE, EXACT, REFERENCE
from fspielm.jobs.plan import BEST, GRID
from fspielm.paper.report.analysis import (
    LOOKS,
    StudyResult,
    SubjectResult,
    entries,
    failures,
    paper_result,
    unlike_the_paper,
    warned,
)
from fspielm.paper.report.figures import FORMATS, Illustration, unique_slugs
from fspielm.paper.templates import fill, typeset
from fspielm.version import __version__
from fspielm.wording import duration

# Marks a page of ours, which a newer one may replace.
GENERATOR = '<meta name="generator" content="fspielm study report">'

_PAPER_RANGES = {BEST: "the paper's best of each method", GRID: "all that the paper tried"}
_MEASURES = {
    EXACT: "Errors are relative L² errors against the exact solution",
    REFERENCE: "There is no exact solution: errors are relative L² distances from the reference solution",
    ESTIMATE: "There is nothing to compare with: errors are the solver's own estimates of the relative error",
}


def report_page(study: StudyResult, pictures: Mapping[str, Sequence[Illustration]], files_beside: Sequence[str]) -> str:
    """The page of a study, with the charts of each subject and links to the files beside the page."""
    known = {name: content for name, content in study.environments.items() if study.solves_on[name]}
    return fill(
        "report/page.html",
        study=study,
        pictures=pictures,
        files=files_beside,
        slugs=unique_slugs(subject.name for subject in study.subjects),
        generator=GENERATOR,
        lead=_lead(study),
        deviates=any(unlike_the_paper(one.case, group.variant) for one in study.subjects for group in one.groups),
        failed=failures(study.rows),
        warned=warned(study.rows),
        known=known,
        unknown=sum(count for name, count in study.solves_on.items() if name not in known),
        version=__version__,
        looks=LOOKS,
        columns=["Case", *(LOOKS[method].label for method in study.methods)],
        automatic=AUTOMATIC,
        formats=FORMATS,
        paper_ranges=_PAPER_RANGES,
        about=_about,
        count=_count,
        entries=entries,
        paper_result=paper_result,
        unlike_the_paper=unlike_the_paper,
    )


def _lead(study: StudyResult) -> str:
    spent = sum(row.outcome.seconds for row in study.rows)
    dates = sorted(row.ended[:10] for row in study.rows if row.ended)
    when = "" if not dates else f" on {dates[0]}" if dates[0] == dates[-1] else f" from {dates[0]} to {dates[-1]}"
    return (
        f"{_count(study.subjects, 'problem')}, {_count(study.methods, 'method')}, {_count(study.rows, 'solve')}{when}; "
        f"{duration(spent)} of computing together."
    )


def _count(things: Sized, what: str) -> str:
    number = len(things)
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _about(subject: SubjectResult) -> str:
    """What the errors of a subject are, and how many of its solves have ended."""
    case = subject.case
    said = [] if case is None else [subject.name]
    at = "" if case is None or case.time_slice is None else f" at time {case.time_slice:g}"
    said.append(_MEASURES.get(subject.measure, _MEASURES[EXACT]) + at)
    ended = len(subject.rows)
    said.append(f"{ended} solves" if ended == subject.planned else f"{ended} of {subject.planned} solves so far")
    if case is not None and case.notes:
        said.append(typeset(case.notes).rstrip("."))
    return ". ".join(said) + "."
