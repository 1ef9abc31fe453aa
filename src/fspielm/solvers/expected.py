"""What is expected of a round before it is begun."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from fspielm.equations import Problem


class Expected(ABC):
    """The work of a round that is not begun yet, and how fast it will go."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """How long it will take."""

    @abstractmethod
    def neurons_within(self, seconds: float) -> int:
        """How many of its neurons take no longer than so many seconds."""

    @abstractmethod
    def of(self, problem: Problem, trial: Any) -> Expected:
        """The same for another trial of the kind."""
