"""Our numbers beside the paper's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from fspielm.cases import Case, PaperResult
from fspielm.study.job import AUTOMATIC
from fspielm.study.reports.analysis.cell import Cell
from fspielm.study.reports.analysis.group import Group, Variant
from fspielm.study.reports.analysis.subject import SubjectResult

_SPACE = "-space"


@final
@dataclass(frozen=True)
class Entry:
    """One line of a table: a cell, and what the paper has for it.

    Attributes
    ----------
    group : Group
    cell : Cell
    at_paper_range : bool
        Whether the cell is shown because the paper's best range is its own, another one being better here.
    paper_method : str
        The method of the paper that it is compared with; empty if there is none.
    paper : PaperResult or None
    """

    group: Group
    cell: Cell
    at_paper_range: bool = False
    paper_method: str = ""
    paper: PaperResult | None = None

    @property
    def best_ratio(self) -> float | None:
        """Our best error over the paper's."""
        return None if self.paper is None or self.cell.error is None else self.cell.error.best / self.paper.best

    @property
    def mean_ratio(self) -> float | None:
        """Our mean error over the paper's."""
        return None if self.paper is None or self.cell.error is None else self.cell.error.mean / self.paper.mean


def paper_result(case: Case | None, method: str) -> tuple[str, PaperResult | None]:
    """The paper's method and result to compare with.

    That of the same method; for a shift along space alone that of the shift in all directions; and for the automatic
    solver, which the paper does not have, the best that the paper has.
    """
    if case is None:
        return "", None
    results = case.paper.results
    if method == AUTOMATIC:
        method = min(results, key=lambda name: results[name].best)
    method = method.removesuffix(_SPACE)
    return method, results[method]


def entries(subject: SubjectResult) -> list[Entry]:
    """The lines of a subject's table: every method at its best range, and at the paper's where that is another."""
    found = []
    for number, group in enumerate(subject.groups):
        for method in group.methods:
            if number and method == AUTOMATIC:
                continue
            best = group.best(method)
            if best is None:
                continue
            name, paper = paper_result(subject.case, method)
            found.append(Entry(group, best, False, name, paper))
            elsewhere = None if paper is None else group.at(method, paper.mu)
            if elsewhere is not None and elsewhere is not best and elsewhere.error is not None:
                found.append(Entry(group, elsewhere, True, name, paper))
    return found


def unlike_the_paper(case: Case | None, variant: Variant) -> str:
    """How a variant differs from what the paper did, in words; empty if it does not."""
    if case is None or variant.automatic:
        return ""
    paper = Variant(case.paper.neurons, f"svd {case.paper.svd_tolerance:g}", "none")
    told = []
    for name in ("neurons", "least_squares", "scaling"):
        if getattr(variant, name) != getattr(paper, name):
            words = [Variant(**{name: getattr(one, name)}).word(name) for one in (variant, paper)]
            told.append(f"{words[0]} instead of {words[1]}")
    return "; ".join(told)
