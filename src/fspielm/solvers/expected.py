"""What is expected of a round before it is begun."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

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


@final
@dataclass(frozen=True)
class Repeated(Expected):
    """The same several times over, as the steps of an iteration are.

    Attributes
    ----------
    once : Expected
    times : float
    """

    once: Expected
    times: float

    @property
    def seconds(self) -> float:
        """How long all of it will take."""
        return self.times * self.once.seconds

    def neurons_within(self, seconds: float) -> int:
        """How many of its neurons take no longer than so many seconds."""
        return self.once.neurons_within(seconds / self.times)

    def of(self, problem: Problem, trial: Any) -> Repeated:
        """The same for another trial of the kind."""
        return Repeated(self.once.of(problem, trial), self.times)
