"""What is narrow in the data and coefficients of a problem, found before anything is solved."""

from fspielm.scrutiny.look import Look, Scrutiny, look_closely, scrutinise
from fspielm.scrutiny.narrow import Narrow

__all__ = ["Look", "Narrow", "Scrutiny", "look_closely", "scrutinise"]
