"""Who solves a sweep: processes of this machine, the workers of a scheduler, or this very process."""

from __future__ import annotations

import pickle
import warnings
from base64 import b64encode
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from fspielm.errors import ProblemError, WorkersWarning
from fspielm.machine import available_threads
from fspielm.solvers import Budget
from fspielm.study.engines import Cluster, Engine, Here, Several
from fspielm.study.subject import Subject
from fspielm.study.terms import Terms
from fspielm.sweeps.sweeper import Sweeper

_NAME = "sweep"


def terms_for(budget: Budget, tol: float, workers: int | None) -> Terms:
    """What every row is given: its part of the memory, and one thread unless more were asked for."""
    threads = budget.threads or 1
    at_once = workers or max(available_threads() // threads, 1)
    share = budget.memory_limit if budget.memory is not None else budget.memory_limit / at_once
    return Terms(threads, budget.memory_limit, share, budget.seconds, tol)


def staffed(
    sweeper: Sweeper, threads: int, rows: int, workers: int | None, scheduler: str | None
) -> tuple[Engine, Subject]:
    """The engine for so many rows, and what it is told of the sweep."""
    pickled = _pickled(sweeper)
    if isinstance(pickled, Exception):
        remedy = "" if find_spec("cloudpickle") else ' or install what sends them: pip install "fspielm[cluster]"'
        told = (
            f"the problem or its measure cannot be sent to other processes ({pickled}); write them as functions of a "
            f"module{remedy}"
        )
        if scheduler is not None or (workers or 1) > 1:
            raise ProblemError(told)
        warnings.warn(f"{told}; all rows are solved one after the other, in this process", WorkersWarning, stacklevel=4)
        return Here(sweeper), Subject(_NAME)
    subject = Subject(_NAME, pickled=pickled)
    if scheduler is not None:
        return Cluster(threads, scheduler=scheduler), subject
    count = workers or max(available_threads() // threads, 1)
    return Several(min(count, rows), threads), subject


def _pickled(sweeper: Sweeper) -> str | Exception:
    """All of a sweep for another process; functions without a module need cloudpickle, which comes with Dask."""
    pickler: Any = import_module("cloudpickle") if find_spec("cloudpickle") else pickle
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # picklers look for names in every module there is
            return b64encode(pickler.dumps(sweeper)).decode("ascii")
    except Exception as error:  # whatever an object of the user's raises
        return error
