"""From a statement to unknowns and the relations between them, all of it checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import sympy as sp

from fspielm.problem.borders import read_borders
from fspielm.problem.gauge import pins
from fspielm.problem.interfaces import InterfaceLine, Reading, interface_relations, read_interfaces
from fspielm.problem.linear import read_equation, residual_form
from fspielm.problem.pairs import has_conjugates, real_relations, real_unknowns
from fspielm.problem.places import whole_domain
from fspielm.problem.relations import Relation, bind_conditions
from fspielm.problem.scattering.open_domain import for_open_domain
from fspielm.problem.setting import Setting
from fspielm.problem.statement import Statement
from fspielm.problem.substitutions import Givens, read_givens
from fspielm.problem.unknowns import Unknown, read_unknowns
from fspielm.problem.wellposed import check_conditions

if TYPE_CHECKING:
    from fspielm.problem.nonlinear.statement import Nonlinear


@final
@dataclass(frozen=True, eq=False)
class Compiled:
    """What a problem consists of.

    Attributes
    ----------
    statement, unknowns, relations, givens, missing
        As in `Problem`.
    whole : Compiled or None
        The same for the complex unknowns that were written, where these are their real and imaginary parts.
    interfaces : tuple of InterfaceLine
    notes : tuple of str
        Sentences on how interfaces were read.
    nonlinear : Nonlinear or None
        What is not linear; relations are then those of a linearisation, of which only the shape has a meaning.
    open_symbols : tuple of Symbol
        Without a value.
    """

    statement: Statement
    unknowns: tuple[Unknown, ...]
    relations: tuple[Relation, ...]
    givens: Givens
    missing: str = ""
    whole: Compiled | None = None
    interfaces: tuple[InterfaceLine, ...] = ()
    notes: tuple[str, ...] = ()
    nonlinear: Nonlinear | None = None
    open_symbols: tuple[sp.Symbol, ...] = ()


def compile_all(statement: Statement) -> Compiled:
    """All that a statement says."""
    domain, number = statement.domain, len(statement.equations)
    stated = read_givens(statement.given)
    written = [residual_form(e, argument_name(i, number)) for i, e in enumerate(statement.equations)]
    unknowns = read_unknowns(written, stated, statement)
    parts = domain.boundary([str(symbol) for symbol in unknowns[0].coordinates])
    givens = stated.placed(domain, unknowns[0].coordinates)
    setting = Setting(unknowns, givens, domain, parts)
    borders, notes = read_borders([givens.substitute(residual) for residual in written], setting)
    setting = replace(setting, levels=frozenset(border.expression for border in borders))
    equations = []
    for equation, what in zip(statement.equations, equation_names(number), strict=True):
        rule = read_equation(equation, setting, what)
        equations.append(Relation(what.removeprefix("the "), rule.operator, rule.value, whole_domain(domain)))
    lines, more = read_interfaces(statement.conditions, Reading(statement.equations, setting), borders)
    bound = bind_conditions(statement.conditions, setting, equations)
    relations = (*equations, *bound, *interface_relations(lines, setting))
    if domain.is_unbounded:
        relations = for_open_domain(relations, statement, setting)
        # of fields inside too: see `two_sided`
        if any(max(relation.operator.unknowns, default=0) >= len(unknowns) for relation in relations):
            stated.check_use(statement.expressions)
            return Compiled(statement, unknowns, relations, givens)
    if has_conjugates(relations, len(unknowns)):
        made = in_pairs(Compiled(statement, unknowns, relations, givens))
    else:
        missing = check_conditions(relations, setting)
        made = Compiled(statement, unknowns, (*relations, *pins(relations, setting)), givens, missing)
    stated.check_use(statement.expressions)
    return replace(made, interfaces=lines, notes=(*notes, *more))


def in_pairs(whole: Compiled) -> Compiled:
    """The same for the real and the imaginary parts of unknowns with conjugates."""
    domain, unknowns = whole.statement.domain, real_unknowns(whole.unknowns)
    relations = real_relations(whole.relations, len(whole.unknowns))
    known = {part.name: part for relation in relations for part in relation.region.parts}
    parts = domain.boundary([str(symbol) for symbol in unknowns[0].coordinates])
    setting = Setting(unknowns, whole.givens, domain, tuple(known.get(part.name, part) for part in parts))
    missing = check_conditions(relations, setting)
    relations = (*relations, *pins(relations, setting))
    return Compiled(whole.statement, unknowns, relations, whole.givens, missing, whole)


def equation_names(number: int) -> list[str]:
    """How messages call the equations of a problem."""
    return ["the equation"] if number == 1 else [f"equation {index + 1}" for index in range(number)]


def argument_name(index: int, number: int) -> str:
    """How messages call one of the equations as an argument."""
    return "equation" if number == 1 else f"equation[{index}]"
