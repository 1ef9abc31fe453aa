"""Text and SymPy: numbers, expressions and callables as functions of points; enclosures; identities."""

from fspielm.expr.enclosure import Enclosure, Intervals, enclose
from fspielm.expr.functions import (
    NONLOCAL,
    Field,
    PointFunction,
    Value,
    bare_hint,
    called_by_solver,
    check_value,
    compile_expression,
    compile_relation,
    compile_together,
    describe,
    evaluate_derivatives,
    flaw,
    make_field,
)
from fspielm.expr.identities import complex_parts, is_multiple, is_zero
from fspielm.expr.parser import parse_condition, parse_equation, parse_expression, parse_real
from fspielm.expr.printing import print_equation, print_expression
from fspielm.expr.scope import Scope, check_name, nearest

__all__ = [
    "NONLOCAL",
    "Enclosure",
    "Field",
    "Intervals",
    "PointFunction",
    "Scope",
    "Value",
    "bare_hint",
    "called_by_solver",
    "check_name",
    "check_value",
    "compile_expression",
    "compile_relation",
    "compile_together",
    "complex_parts",
    "describe",
    "enclose",
    "evaluate_derivatives",
    "flaw",
    "is_multiple",
    "is_zero",
    "make_field",
    "nearest",
    "parse_condition",
    "parse_equation",
    "parse_expression",
    "parse_real",
    "print_equation",
    "print_expression",
]
