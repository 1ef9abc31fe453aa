"""Which frequencies: bands inferred from the equation and its data."""

from fspielm.spectrum.bands import (
    OF_THE_PROBLEM,
    Bands,
    bands_of_conditions,
    infer_bands,
    refine_bands,
    settled_bands,
    without_short_lines,
)
from fspielm.spectrum.data import DataBand, affordable_points, data_bands
from fspielm.spectrum.fastest_places import waves_at
from fspielm.spectrum.hidden import Hidden, hidden_of
from fspielm.spectrum.peaks import SAMPLE_BYTES, find_peaks
from fspielm.spectrum.sizes import RIGHT_HAND_SIDE
from fspielm.spectrum.symbol import symbol_band
from fspielm.spectrum.waves import Peak

__all__ = [
    "OF_THE_PROBLEM",
    "RIGHT_HAND_SIDE",
    "SAMPLE_BYTES",
    "Bands",
    "DataBand",
    "Hidden",
    "Peak",
    "affordable_points",
    "bands_of_conditions",
    "data_bands",
    "find_peaks",
    "hidden_of",
    "infer_bands",
    "refine_bands",
    "settled_bands",
    "symbol_band",
    "waves_at",
    "without_short_lines",
]
