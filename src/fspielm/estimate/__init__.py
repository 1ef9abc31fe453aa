"""How far a solution can be trusted: bands, narrow data, stability, held-out rows, the verdict."""

from fspielm.estimate.band_data import RIGHT_HAND_SIDE, DataBand, affordable_points, data_bands
from fspielm.estimate.bands import (
    OF_THE_PROBLEM,
    Bands,
    bands_of_conditions,
    infer_bands,
    refine_bands,
    settled_bands,
    symbol_band,
    waves_at,
    without_short_lines,
)
from fspielm.estimate.estimate import ILL_POSED, CellErrors, ErrorEstimate, FieldEstimate, Verdict, judge, together
from fspielm.estimate.examination import Examination, examine
from fspielm.estimate.growth import Growth
from fspielm.estimate.let_through import Degenerate, LetThrough
from fspielm.estimate.narrow import Look, Scrutiny, look_closely, scrutinise
from fspielm.estimate.narrow_search import Narrow
from fspielm.estimate.peaks import SAMPLE_BYTES, Peak, find_peaks
from fspielm.estimate.residuals import HeldOut
from fspielm.estimate.sensitivity import (
    PROBES,
    Sensitivity,
    find_sensitivity,
    fitting_columns,
    functions_up_to,
    further_columns,
    nearby_number,
    passing_size,
    special_beside,
)
from fspielm.estimate.stability import Hidden, affordable, hidden_of, place_of

__all__ = [
    "ILL_POSED",
    "OF_THE_PROBLEM",
    "PROBES",
    "RIGHT_HAND_SIDE",
    "SAMPLE_BYTES",
    "Bands",
    "CellErrors",
    "DataBand",
    "Degenerate",
    "ErrorEstimate",
    "Examination",
    "FieldEstimate",
    "Growth",
    "HeldOut",
    "Hidden",
    "LetThrough",
    "Look",
    "Narrow",
    "Peak",
    "Scrutiny",
    "Sensitivity",
    "Verdict",
    "affordable",
    "affordable_points",
    "bands_of_conditions",
    "data_bands",
    "examine",
    "find_peaks",
    "find_sensitivity",
    "fitting_columns",
    "functions_up_to",
    "further_columns",
    "hidden_of",
    "infer_bands",
    "judge",
    "look_closely",
    "nearby_number",
    "passing_size",
    "place_of",
    "refine_bands",
    "scrutinise",
    "settled_bands",
    "special_beside",
    "symbol_band",
    "together",
    "waves_at",
    "without_short_lines",
]
