"""What is narrow in the data and coefficients of a problem, found before anything is solved."""

from fspielm.scrutiny.look import Look, Scrutiny, look_closely
from fspielm.scrutiny.place import Place

__all__ = ["Look", "Place", "Scrutiny", "look_closely"]
