"""What was made of a statement beyond its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fspielm.equations.problem import Problem


def remarks_on(problem: Problem) -> tuple[str, ...]:
    """Sentences on interfaces, unknowns with conjugates, equations in excess, and on what was left open and chosen."""
    found = list(problem.notes)
    if problem.whole is not None:
        names = ", ".join(str(unknown.symbol) for unknown in problem.whole.unknowns)
        found.append(f"Conjugates or parts of unknowns occur: real and imaginary parts of {names} are solved for.")
    stated = problem.stated
    number, unknowns = sum(r.region.kind == "domain" for r in stated.pattern), len(stated.unknowns)
    if number > unknowns:
        found.append(
            f"There are {number} equations for {unknowns} unknown{'s' * (unknowns > 1)}: they are met together as well "
            "as they can be, which is exactly where they do not contradict one another."
        )
    for relation in problem.pattern:
        if relation.condition is None and relation.region.kind != "domain":
            always = " at all times" if relation.region.count != 1 else ""
            found.append(
                f"Neither equations nor conditions determine the {relation.name}{always}: zero was chosen for it."
            )
    return tuple(found)
