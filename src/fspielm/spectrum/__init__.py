"""Which frequencies: bands inferred from the equation and its data."""

from fspielm.spectrum.bands import Bands, bands_of_conditions, infer_bands, refine_bands
from fspielm.spectrum.data import DataBand, data_bands
from fspielm.spectrum.peaks import find_peaks
from fspielm.spectrum.sizes import RIGHT_HAND_SIDE
from fspielm.spectrum.symbol import symbol_band
from fspielm.spectrum.waves import Peak

__all__ = [
    "RIGHT_HAND_SIDE",
    "Bands",
    "DataBand",
    "Peak",
    "bands_of_conditions",
    "data_bands",
    "find_peaks",
    "infer_bands",
    "refine_bands",
    "symbol_band",
]
