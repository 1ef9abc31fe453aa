"""What the rows of a study say: cells, the best of each method, and the paper's numbers beside them."""

from fspielm.study.reports.analysis.cell import Cell, make_cells
from fspielm.study.reports.analysis.compare import Entry, entries, paper_result, unlike_the_paper
from fspielm.study.reports.analysis.group import Group, Variant
from fspielm.study.reports.analysis.methods import LABELS, SHORT_LABELS, order_methods
from fspielm.study.reports.analysis.statistics import Spread, spread
from fspielm.study.reports.analysis.study import StudyResult, read_study
from fspielm.study.reports.analysis.subject import SubjectResult
from fspielm.study.reports.analysis.trouble import Trouble, failures, warned

__all__ = [
    "LABELS",
    "SHORT_LABELS",
    "Cell",
    "Entry",
    "Group",
    "Spread",
    "StudyResult",
    "SubjectResult",
    "Trouble",
    "Variant",
    "entries",
    "failures",
    "make_cells",
    "order_methods",
    "paper_result",
    "read_study",
    "spread",
    "unlike_the_paper",
    "warned",
]
