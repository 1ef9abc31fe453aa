"""What a solve may spend."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, final

import numpy as np

from fspielm.errors import ProblemError
from fspielm.machine import available_threads, physical_memory, read_size

_MEMORY_SHARE = 0.6


@final
@dataclass(frozen=True, init=False)
class Budget:
    """Limits of a solve, each by its name: ``Budget(seconds=60)``.

    Parameters
    ----------
    neurons : int, optional
        At most so many functions, which the paper calls neurons; no limit by default.
    seconds : float, optional
        The solve ends by then, with the best answer found; 600 by default.
    memory : float or str, optional
        Bytes, or a size such as ``"4GB"``; 60 % of the machine's memory by default.
    threads : int, optional
        Threads that fill the matrix; all processors by default. The linear algebra library has its own
        setting (such as ``OPENBLAS_NUM_THREADS``).
    """

    neurons: int | None = None
    seconds: float | None = 600.0
    memory: float | None = None
    threads: int | None = None

    def __init__(
        self,
        *unnamed: Any,
        neurons: int | None = None,
        seconds: float | None = 600.0,
        memory: float | str | None = None,
        threads: int | None = None,
    ) -> None:
        if unnamed:
            both = " or ".join(f"fs.Budget({name}={unnamed[0]!r})" for name in ("seconds", "neurons"))
            raise ProblemError(f"budget: limits are given by name; got Budget({unnamed[0]!r}): write {both}")
        if isinstance(memory, str):
            memory = read_size(memory) or memory
        vars(self).update(neurons=neurons, seconds=seconds, memory=memory, threads=threads)
        for name, unit in (("memory", ' of bytes, or a size such as "4GB"'), ("seconds", "")):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, Real) and float(value) > 0):
                raise ProblemError(f"budget: {name} must be a positive number{unit}; got {value!r}")
        for name in ("neurons", "threads"):
            value = getattr(self, name)
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if value is not None and not (whole and value > 0):
                raise ProblemError(f"budget: {name} must be a whole number, at least 1; got {value!r}")

    @property
    def memory_limit(self) -> float:
        """Bytes that may be used."""
        return _MEMORY_SHARE * physical_memory() if self.memory is None else self.memory

    @property
    def thread_count(self) -> int:
        """Threads that may be used."""
        return available_threads() if self.threads is None else int(self.threads)
