"""Text and SymPy: numbers, expressions and callables as functions of points."""

from typing import TYPE_CHECKING

from fspielm.expressions.compile import NONLOCAL, compile_expression, compile_together, evaluate_derivatives
from fspielm.expressions.complex_parts import complex_parts
from fspielm.expressions.enclosure import Enclosure, enclose
from fspielm.expressions.field import Field, Value, check_value, make_field
from fspielm.expressions.finite import flaw
from fspielm.expressions.identities import is_multiple, is_zero
from fspielm.expressions.intervals import Intervals
from fspielm.expressions.relation import compile_relation
from fspielm.expressions.values import PointFunction, bare_hint, called_by_solver, describe

from fspielm.expressions.parser import (
    Scope,
    check_name,
    nearest,
    parse_condition,
    parse_equation,
    parse_expression,
    parse_real,
)
from fspielm.expressions.printing import print_equation, print_expression
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
