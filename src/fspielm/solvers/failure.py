"""What to do about an error within one kind of features: others may do."""

from __future__ import annotations

import logging

from fspielm.errors import MemoryBudgetError, SolveError, UnsuitableError, is_users

_log = logging.getLogger(__name__)


def why_failed(error: Exception) -> str:
    """Why a kind of functions failed, in words; an error that is for the user to mend is raised on.

    Whatever goes wrong in one kind costs its time alone, so this takes any error; one that nobody foresaw is logged
    with its traceback.
    """
    if is_users(error):
        raise error
    if isinstance(error, UnsuitableError | SolveError | MemoryBudgetError):
        return str(error)
    _log.warning("a kind of functions failed", exc_info=error)
    return f"{type(error).__name__}: {error}"
