"""What the first cells cost at the very least: known before any of them is made."""

from __future__ import annotations

import math

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import MemoryBudgetError, UnsuitableError
from fspielm.solvers.request import Request
from fspielm.wording import duration, readable_bytes, system_size

# Seconds of an operation on a machine that nobody has, and operations of a cell for each cube of its functions.
_FASTEST = 5e-12
_EACH = 2.0
# The least that polynomials have.
_DEGREE = 4
# Seconds of a cell, however few functions it has.
_EACH_CELL = 5e-4
# Of a number.
_BYTES = 8


def check_affordable(request: Request, counts: FloatArray) -> None:
    """Refuse cells that a budget is by far too small for.

    Parameters
    ----------
    request : Request
    counts : (d,) array
        Cells along each axis of the bounding box.

    Raises
    ------
    MemoryBudgetError, UnsuitableError
    """
    domain, budget = request.problem.domain, request.budget
    lower, upper = domain.bounding_box
    share = min(domain.measure / float(np.prod(upper - lower)), 1.0)
    cells = max(int(share * math.prod(counts.tolist())), 1)
    # polynomials within a ball of degrees
    own = len(request.problem.unknowns) * (_DEGREE + 1) ** len(counts) * (math.pi / 4 if len(counts) == 2 else 1.0)
    size = f"at least {system_size(int(cells * own), cells)} are needed"
    memory = _BYTES * cells * own**2
    if memory > budget.memory_limit:
        raise MemoryBudgetError(
            f"{size}, and {readable_bytes(int(memory))} of memory, above the budget of "
            f"{readable_bytes(budget.memory_limit)}; solve on a smaller domain, or allow more with "
            "budget=fs.Budget(memory=...), in bytes"
        )
    seconds = cells * (_EACH_CELL + _FASTEST * _EACH * own**3 / request.threads)
    if budget.seconds is not None and seconds > budget.seconds:
        raise UnsuitableError(
            f"the budget of {budget.seconds:g} s ended it before the first cells: {size}, and "
            f"{duration(seconds)} on any machine; allow more with budget=fs.Budget(seconds=...)"
        )
    if budget.neurons is not None and cells * own > budget.neurons:
        raise UnsuitableError(
            f"the budget of {budget.neurons} functions ended it before the first cells: {size}; allow more"
        )
