"""What no residual shows within a basis: functions that conditions let through, growth, waves without a beginning.

Coefficients are frozen at some places, so that all is a matter of polynomials; a heuristic where they vary.
"""

from fspielm.spectrum.hidden.degenerate import Degenerate
from fspielm.spectrum.hidden.growth import Growth
from fspielm.spectrum.hidden.hidden import Hidden, affordable, hidden_of, place_of
from fspielm.spectrum.hidden.let_through import LetThrough

__all__ = ["Degenerate", "Growth", "Hidden", "LetThrough", "affordable", "hidden_of", "place_of"]
