"""What a solve may spend."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import final

import numpy as np

from fspielm.errors import ProblemError
from fspielm.machine import available_threads, physical_memory

_MEMORY_SHARE = 0.6


@final
@dataclass(frozen=True)
class Budget:
    """Limits of a solve.

    Parameters
    ----------
    memory : float, optional
        Bytes; 60 % of the machine's memory by default.
    threads : int, optional
        Threads that fill the matrix; all processors by default. The linear algebra library has its own
        setting (such as ``OPENBLAS_NUM_THREADS``).
    """

    memory: float | None = None
    threads: int | None = None

    def __post_init__(self) -> None:
        memory, threads = self.memory, self.threads
        if memory is not None and not (isinstance(memory, Real) and memory > 0):
            raise ProblemError(f"budget: memory must be a positive number of bytes; got {memory!r}")
        whole = isinstance(threads, int | np.integer) and not isinstance(threads, bool)
        if threads is not None and not (whole and threads > 0):
            raise ProblemError(f"budget: threads must be a whole number, at least 1; got {threads!r}")

    @property
    def memory_limit(self) -> float:
        """Bytes that may be used."""
        return _MEMORY_SHARE * physical_memory() if self.memory is None else self.memory

    @property
    def thread_count(self) -> int:
        """Threads that may be used."""
        return available_threads() if self.threads is None else int(self.threads)
