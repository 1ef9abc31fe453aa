"""The whole page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

from fspielm.study.reports.analysis import StudyResult, failures, warned
from fspielm.study.reports.charts import COLOURS, DARK_COLOURS
from fspielm.study.reports.illustrations import Illustration, unique_slugs
from fspielm.study.reports.markup import Html, element, join
from fspielm.study.reports.page.about import environments, plan, troubles
from fspielm.study.reports.page.subject import subject_section
from fspielm.study.reports.page.summary import summary
from fspielm.version import __version__
from fspielm.wording import duration

# How a page of ours is recognised before a newer one replaces it.
GENERATOR = '<meta name="generator" content="fspielm study report">'


def report_page(study: StudyResult, pictures: Mapping[str, Sequence[Illustration]], files_beside: Sequence[str]) -> str:
    """The page of a study.

    Parameters
    ----------
    study : StudyResult
    pictures : mapping of str to sequence of Illustration
        Those of each subject.
    files_beside : sequence of str
        Tables for other programs that lie beside the page.
    """
    slugs = unique_slugs(subject.name for subject in study.subjects)
    sections = [subject_section(one, slugs[one.name], pictures[one.name]) for one in study.subjects]
    return _resource("page.html").format(
        generator=GENERATOR,
        style=_resource("page.css") + _method_colours(),
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
    return files("fspielm.study.reports.page").joinpath(name).read_text(encoding="utf-8")


def _method_colours() -> str:
    def rules(colours: Mapping[str, str]) -> str:
        return " ".join(f".m-{method} {{ --c: {colour}; }}" for method, colour in colours.items())

    return f"{rules(COLOURS)}\n@media screen and (prefers-color-scheme: dark) {{ {rules(DARK_COLOURS)} }}\n"


def _lead(study: StudyResult) -> str:
    spent = sum(row.outcome.seconds for row in study.rows)
    dates = sorted(row.ended[:10] for row in study.rows if row.ended)
    when = "" if not dates else f" on {dates[0]}" if dates[0] == dates[-1] else f" from {dates[0]} to {dates[-1]}"
    return (
        f"{_count(len(study.subjects), 'problem')}, {_count(len(study.methods), 'method')}, "
        f"{_count(len(study.rows), 'solve')}{when}; {duration(spent)} of computing together."
    )


def _notice(study: StudyResult) -> Html:
    """What a reader must know before any number: that some are missing."""
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
