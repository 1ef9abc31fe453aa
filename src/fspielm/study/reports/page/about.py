"""What went wrong, what was planned, and where it ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fspielm.study.reports.analysis import LABELS, StudyResult, Trouble, failures, warned
from fspielm.study.reports.markup import Html, element, join
from fspielm.study.reports.page.tables import Value, table, text, whole
from fspielm.study.sweep import BEST, GRID, Sweep

_PAPER_RANGES = {BEST: "the paper's best of each method", GRID: "all that the paper tried"}


def troubles(study: StudyResult) -> Html:
    """The failed solves with their reasons, and what the solver warned of; empty if all went well."""
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
            text(", ".join(trouble.subjects)),
            text(", ".join(LABELS[method] for method in trouble.methods)),
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
    sweeps = [
        element("h3", f"Sweep {number} of {len(study.plan.sweeps)}") + _facts(_sweep(sweep))
        if len(study.plan.sweeps) > 1
        else _facts(_sweep(sweep))
        for number, sweep in enumerate(study.plan.sweeps, 1)
    ]
    return element("section", element("h2", "The plan", id="plan"), _facts(facts), *sweeps)


def environments(study: StudyResult) -> Html:
    """What the solves ran on."""
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
        "Methods": ", ".join(LABELS[method] for method in sweep.methods),
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
