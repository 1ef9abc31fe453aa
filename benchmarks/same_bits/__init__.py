"""Solves with fixed seeds, and what is kept of them to tell whether a change of the sources changed a bit."""

from same_bits.arithmetic import fingerprint
from same_bits.catalogue import SOLVES
from same_bits.outcome import differences, outcome_of
from same_bits.quick import QUICK

__all__ = ["QUICK", "SOLVES", "differences", "fingerprint", "outcome_of"]
