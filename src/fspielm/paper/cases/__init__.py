"""The seven benchmarks of the FS-PIELM paper."""

from fspielm.paper.cases.case import (
    METHODS,
    SPACE_METHODS,
    Case,
    PaperResult,
    PaperSetting,
    check_method,
    make_features,
    paper_setting,
)
from fspielm.paper.cases.catalogue import load, names

__all__ = [
    "METHODS",
    "SPACE_METHODS",
    "Case",
    "PaperResult",
    "PaperSetting",
    "check_method",
    "load",
    "make_features",
    "names",
    "paper_setting",
]
