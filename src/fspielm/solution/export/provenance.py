"""Where numbers come from, in words and numbers that go along with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fspielm.version import versions

if TYPE_CHECKING:
    from fspielm.solution.solution import Solution


def provenance(solution: Solution) -> dict[str, str | float | int]:
    """What was solved, how well, and by what; as text and numbers, which every format can hold."""
    problem, report = solution.problem, solution.report
    known = versions()
    facts: dict[str, str | float | int] = {
        "source": f"fspielm {known.pop('fspielm')}",
        "versions": ", ".join(f"{name} {version}" for name, version in known.items()),
        "unknown": ", ".join(str(unknown.symbol) for unknown in problem.stated.unknowns),
        "equation": "; ".join(map(str, problem.statement.equations)),
        "domain": repr(problem.domain),
        "conditions": "; ".join(map(repr, problem.conditions)),
        "tol": report.tol,
        "neurons": report.neurons,
        "features": report.features,
        # as text: one drawn from the system's entropy has more digits than formats have
        "rng": str(report.rng),
    }
    if report.cells is not None:
        facts["cells"] = report.cells
    if report.error_estimate is not None and report.max_error_estimate is not None:
        facts["error_estimate"] = report.error_estimate
        facts["max_error_estimate"] = report.max_error_estimate
        facts["verdict"] = f"{'converged' if report.converged else 'NOT CONVERGED'}: {report.reason}"
    return facts
