"""How far a solution can be trusted: held-out rows, what they may hide, the estimate and the verdict.

Needs nothing but a `Discretisation` and its factored system.
"""

from fspielm.accuracy.beyond import functions_up_to, passing_size
from fspielm.accuracy.estimate import ILL_POSED, CellErrors, ErrorEstimate, FieldEstimate, together
from fspielm.accuracy.examination import Examination, examine
from fspielm.accuracy.further import fitting_columns, further_columns, special_beside
from fspielm.accuracy.held_out import HeldOut
from fspielm.accuracy.nearly_exact import nearby_number
from fspielm.accuracy.sensitivity import PROBES, Sensitivity, find_sensitivity
from fspielm.accuracy.verdict import Verdict, judge

__all__ = [
    "ILL_POSED",
    "PROBES",
    "CellErrors",
    "ErrorEstimate",
    "Examination",
    "FieldEstimate",
    "HeldOut",
    "Sensitivity",
    "Verdict",
    "examine",
    "find_sensitivity",
    "fitting_columns",
    "functions_up_to",
    "further_columns",
    "judge",
    "nearby_number",
    "passing_size",
    "special_beside",
    "together",
]
