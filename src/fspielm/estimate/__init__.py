"""How far a solution can be trusted: bands, narrow data, stability, held-out rows, the verdict."""

from fspielm.estimate.band_data import data_bands
from fspielm.estimate.bands import Bands, infer_bands, refine_bands, settled_bands, symbol_band, without_short_lines
from fspielm.estimate.estimate import CellErrors, ErrorEstimate, Verdict, judge
from fspielm.estimate.examination import Examination, examine
from fspielm.estimate.growth import Growth
from fspielm.estimate.narrow import NarrowPlaces, find_narrow
from fspielm.estimate.peaks import Peak, find_peaks
from fspielm.estimate.sensitivity import PROBES, find_sensitivity
from fspielm.estimate.stability import Hidden, find_hidden

__all__ = [
    "PROBES",
    "Bands",
    "CellErrors",
    "ErrorEstimate",
    "Examination",
    "Growth",
    "Hidden",
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
