"""One page with the results and pictures of the benchmarks; needs nothing but the pictures beside it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from fspielm.demo.run import CaseRun
from fspielm.study.reports.markup import number, typeset
from fspielm.wording import duration

# How a page of ours is recognised before a newer one replaces it.
GENERATOR = '<meta name="generator" content="fspielm demo">'

_ROW = """\
<tr><th scope="row"><a href="#{name}">{name}</a></th><td>{neurons}</td><td><strong>{error}</strong></td>\
<td>{estimate}</td>\
<td>{best} <span class="method">{method}</span></td><td>{time}</td></tr>"""

_FIGURE = """\
<figure id="{name}">
<figcaption><h2>{title}</h2></figcaption>
<img src="{picture}" alt="{alt}">
<dl>
{facts}
</dl>{notes}
</figure>"""


def gallery_page(runs: Sequence[tuple[CaseRun, str]], *, rng: int) -> str:
    """The page for `runs`, each with the file name of its picture."""
    return _resource("gallery.html").format(
        generator=GENERATOR,
        style=_resource("gallery.css"),
        summary=_summary([run for run, _ in runs]),
        rows="\n".join(_row(run) for run, _ in runs),
        figures="\n".join(_figure(run, picture) for run, picture in runs),
        rng=rng,
    )


def _resource(name: str) -> str:
    return files("fspielm.demo").joinpath(name).read_text(encoding="utf-8")


def _summary(runs: Sequence[CaseRun]) -> str:
    better = sum(run.relative_error < run.paper_best[1] for run in runs)
    count = f"All {len(runs)}" if better == len(runs) else f"{better} of the {len(runs)}"
    seconds = sum(run.seconds for run in runs)
    return f"{count} beat the best error the paper prints; the solves took {duration(seconds)} together."


def _row(run: CaseRun) -> str:
    method, best = run.paper_best
    return _ROW.format(
        name=escape(run.case.name),
        neurons=run.solution.report.neurons,
        error=number(run.relative_error),
        estimate=_estimate(run),
        best=number(best),
        method=escape(method),
        time=duration(run.seconds),
    )


def _figure(run: CaseRun, picture: str) -> str:
    report = run.solution.report
    at = "" if run.case.time_slice is None else f" at time {run.case.time_slice:g}"
    facts: dict[str, str] = {"Relative error": number(run.relative_error) + at}
    if run.space_time_error is not None:
        facts["Over all times"] = number(run.space_time_error)
    facts |= _verdict(run) | {
        "Features": _features(run),
        "System": f"{report.rows} rows &times; {report.neurons} {report.noun}, solved by "
        f"<code>{escape(report.least_squares)}</code> with row scaling {escape(report.scaling)}",
    }
    notes = f'\n<p class="notes">{escape(typeset(run.case.notes))}</p>' if run.case.notes else ""
    title = escape(typeset(run.case.title))
    return _FIGURE.format(
        name=escape(run.case.name),
        title=title,
        picture=escape(picture),
        alt=f"{title}: the solution and its pointwise error",
        facts="\n".join(f"<dt>{term}</dt><dd>{fact}</dd>" for term, fact in facts.items()),
        notes=notes,
    )


def _estimate(run: CaseRun) -> str:
    estimate = run.solution.report.error_estimate
    return "&ndash;" if estimate is None else number(estimate)


def _verdict(run: CaseRun) -> dict[str, str]:
    """What the solver itself says about the error; nothing where a solve by hand did not estimate."""
    report = run.solution.report
    if report.error_estimate is None:
        return {}
    over = " over all of space and time" if run.case.problem.domain.time is not None else ""
    verdict = "converged" if report.converged else "not converged"
    return {
        "Error estimate": number(report.error_estimate) + over,
        "Verdict": f"{verdict}: {escape(report.reason)}",
    }


def _features(run: CaseRun) -> str:
    """The band that was found and how far the features go beyond it; or the features chosen by hand."""
    report, widths = run.solution.report, run.widths
    if widths is None:
        return f"<code>{escape(report.features)}</code>"
    bands = "; ".join(
        f"{band.frequency:.4g} in <i>{escape(axis)}</i> ({escape(band.source)})" for axis, band in report.bands.items()
    )
    reach = ", ".join(f"{width:.4g}" for width in widths.values())
    kind = escape(report.kind[0].upper() + report.kind[1:])
    return f"{kind}, frequencies up to {reach}. Band found: {bands}."
