"""Text and SymPy: numbers, expressions and callables as functions of points."""

from fspielm.expressions.compile import NONLOCAL, compile_expression, evaluate_derivatives
from fspielm.expressions.field import Field, Value, check_value, make_field
from fspielm.expressions.relation import compile_relation
from fspielm.expressions.values import PointFunction, describe

__all__ = [
    "NONLOCAL",
    "Field",
    "PointFunction",
    "Value",
    "check_value",
    "compile_expression",
    "compile_relation",
    "describe",
    "evaluate_derivatives",
    "make_field",
]
