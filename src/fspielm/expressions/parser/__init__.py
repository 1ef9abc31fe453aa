"""Text in the usual notation, read into SymPy by a grammar of its own: nothing is ever evaluated as Python."""

from fspielm.expressions.parser.read import parse_condition, parse_equation, parse_expression, parse_real
from fspielm.expressions.parser.scope import Scope, check_name, nearest

__all__ = ["Scope", "check_name", "nearest", "parse_condition", "parse_equation", "parse_expression", "parse_real"]
