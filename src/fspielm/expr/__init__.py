"""Text and SymPy: numbers, expressions and callables as functions of points; enclosures; identities."""

from fspielm.expr.enclosure import Enclosure, Intervals, enclose
from fspielm.expr.functions import (
    Field,
    compile_expression,
    compile_relation,
    compile_together,
    describe,
    evaluate_derivatives,
    make_field,
)
from fspielm.expr.identities import complex_parts, is_multiple, is_zero
from fspielm.expr.parser import parse_condition, parse_equation, parse_expression, parse_real
from fspielm.expr.printing import print_equation, print_expression
from fspielm.expr.scope import Scope

__all__ = [
    "Enclosure",
    "Field",
    "Intervals",
    "Scope",
    "compile_expression",
    "compile_relation",
    "compile_together",
    "complex_parts",
    "describe",
    "enclose",
    "evaluate_derivatives",
    "is_multiple",
    "is_zero",
    "make_field",
    "parse_condition",
    "parse_equation",
    "parse_expression",
    "parse_real",
    "print_equation",
    "print_expression",
]
