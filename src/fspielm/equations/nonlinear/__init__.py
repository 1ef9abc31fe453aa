"""Equations that are not linear in the unknowns: what they are made of, and their linearisations."""

from fspielm.equations.nonlinear.iterate import Iterate, as_iterate
from fspielm.equations.nonlinear.law import Law
from fspielm.equations.nonlinear.linearised import Moving, iterate_of, linearise, moving
from fspielm.equations.nonlinear.smooth import smooth_problem
from fspielm.equations.nonlinear.statement import Nonlinear, compile_nonlinear
from fspielm.equations.nonlinear.uniqueness import why_unique

__all__ = [
    "Iterate",
    "Law",
    "Moving",
    "Nonlinear",
    "as_iterate",
    "compile_nonlinear",
    "iterate_of",
    "linearise",
    "moving",
    "smooth_problem",
    "why_unique",
]
