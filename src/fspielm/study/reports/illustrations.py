"""The pictures of a report: what there is for which group, on paper and on the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from fspielm.study.outcome import ESTIMATE, REFERENCE
from fspielm.study.reports import charts, figures
from fspielm.study.reports.analysis import Group, StudyResult, SubjectResult
from fspielm.study.reports.markup import Html, typeset
from fspielm.study.reports.page.frequencies import frequencies_svg
from fspielm.study.reports.page.heat_map import heat_map_svg
from fspielm.study.reports.page.lines import lines_svg
from fspielm.study.reports.page.seeds import seeds_svg
from fspielm.study.reports.page.times import times_svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_QUANTITIES = {REFERENCE: "relative L² distance from the reference", ESTIMATE: "estimated relative error"}


@final
@dataclass(frozen=True, eq=False)
class Illustration:
    """One picture.

    Attributes
    ----------
    group : Group
    stem : str
        The name of its files without suffix.
    title, caption : str
    draw : callable
        Makes the figure for print.
    svg : callable
        Makes the picture on the page.
    """

    group: Group
    stem: str
    title: str
    caption: str
    draw: Callable[[], Figure]
    svg: Callable[[], Html]


def illustrations(study: StudyResult, subject: SubjectResult) -> list[Illustration]:
    """The pictures of a subject, group by group; only those that have something to show."""
    name = unique_slugs(each.name for each in study.subjects)[subject.name]
    labels = unique_slugs(group.label for group in subject.groups)
    found: list[Illustration] = []
    for group in subject.groups:
        stem = f"{name}-{labels[group.label]}" if group.label else name
        found += _of_group(study, subject, group, stem)
    return found


def quantity(subject: SubjectResult) -> str:
    """What is called an error for this subject."""
    return _QUANTITIES.get(subject.measure, "relative L² error")


def unique_slugs(texts: Iterable[str]) -> dict[str, str]:
    """Each text as part of a file's name or of a link, no two alike."""
    found: dict[str, str] = {}
    for text in texts:
        plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "case"
        number = 2
        slug = plain
        while slug in found.values():
            slug, number = f"{plain}-{number}", number + 1
        found[text] = slug
    return found


def _of_group(study: StudyResult, subject: SubjectResult, group: Group, stem: str) -> Iterator[Illustration]:
    what, above = quantity(subject), typeset(": ".join(filter(None, (subject.title, group.label))))
    heat_map, lines, times = charts.heat_map(group), charts.lines(group), charts.times(group)
    drawn, seeds = charts.frequencies(group, subject.bench, study.terms), charts.seeds(group, subject.case)
    if heat_map is not None:
        yield Illustration(
            group,
            f"{stem}-heat-map",
            "Every range of frequencies",
            f"Best {what} over the seeds; the numbers are its decimal logarithm. "
            "The best range of each method is framed, and the colours are the same for all.",
            lambda: figures.draw_heat_map(heat_map, above, f"best {what}"),
            lambda: heat_map_svg(heat_map, f"best {what}"),
        )
    if lines is not None:
        yield Illustration(
            group,
            f"{stem}-lines",
            "Error against the largest frequency",
            "Best of the seeds, as the paper draws it, at each method's best smallest frequency; the band above it "
            "reaches to the worst seed.",
            lambda: figures.draw_lines(lines, above, f"best {what}"),
            lambda: lines_svg(lines, f"best {what}"),
        )
    if seeds is not None:
        beside = ", and beside it the paper's from best to mean" if any(s.paper for s in seeds.strips) else ""
        yield Illustration(
            group,
            f"{stem}-seeds",
            "Spread over the seeds",
            f"Every seed at the best range of its method, with the median{beside}.",
            lambda: figures.draw_seeds(seeds, above, what),
            lambda: seeds_svg(seeds, what),
        )
    if times is not None:
        several = any(len(cloud.cells) > 1 for cloud in times.clouds)
        ranges = ": every range as a small mark, the best one of a method as a large one" if several else ""
        yield Illustration(
            group,
            f"{stem}-times",
            "Error against time",
            f"Means over the seeds{ranges}, and a line from the best seed to the worst.",
            lambda: figures.draw_times(times, above, what),
            lambda: times_svg(times, what),
        )
    if drawn is not None:
        yield Illustration(
            group,
            f"{stem}-frequencies",
            "Effective frequencies",
            "Lengths of the frequency vectors that the best seed drew at the best range; the height of each row is "
            "its own.",
            lambda: figures.draw_frequencies(drawn, above),
            lambda: frequencies_svg(drawn),
        )
