"""Which frequencies: bands inferred from the equation and its data."""

from fspielm.spectrum.bands import Bands, infer_bands
from fspielm.spectrum.data import DataBand, data_bands
from fspielm.spectrum.symbol import symbol_band

__all__ = ["Bands", "DataBand", "data_bands", "infer_bands", "symbol_band"]
