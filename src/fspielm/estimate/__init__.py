"""How far a solution can be trusted: bands, narrow data, stability, held-out rows, the verdict."""

from fspielm.estimate.band_data import data_bands
from fspielm.estimate.bands import Bands, infer_bands, refine_bands, settled_bands, symbol_band, without_short_lines
from fspielm.estimate.estimate import ILL_POSED, CellErrors, ErrorEstimate, FieldEstimate, Verdict, judge
from fspielm.estimate.examination import Examination, examine
from fspielm.estimate.growth import Growth
from fspielm.estimate.narrow import Look, NarrowPlaces, find_narrow
from fspielm.estimate.narrow_search import Narrow
from fspielm.estimate.peaks import Peak, find_peaks
from fspielm.estimate.sensitivity import PROBES, find_sensitivity
from fspielm.estimate.stability import Hidden, find_hidden

__all__ = [
    "ILL_POSED",
    "PROBES",
    "Bands",
    "CellErrors",
    "ErrorEstimate",
    "Examination",
    "FieldEstimate",
    "Growth",
    "Hidden",
    "Look",
    "Narrow",
    "NarrowPlaces",
    "Peak",
    "Verdict",
    "data_bands",
    "examine",
    "find_hidden",
    "find_narrow",
    "find_peaks",
    "find_sensitivity",
    "infer_bands",
    "judge",
    "refine_bands",
    "settled_bands",
    "symbol_band",
    "without_short_lines",
]
