"""What every kind of features has to tell the automatic solver."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from fspielm.solvers.approach import Approach
from fspielm.solvers.attempt import Attempt
from fspielm.solvers.trial import Trial


class Stage(ABC):
    """One kind of features: a first trial, and what to change after a round that was not good enough.

    Attributes
    ----------
    approach : str
        Its name.
    ending : str
        Once there is no further trial, why not.
    """

    approach: ClassVar[Approach]
    ending: str = ""

    @abstractmethod
    def first(self) -> Trial:
        """What to begin with."""

    @abstractmethod
    def next(self, latest: Attempt) -> Trial | None:
        """What to try after `latest`, the attempt of the trial before; None where nothing is left to gain."""

    @abstractmethod
    def smaller(self, trial: Trial, neurons: int) -> Trial | None:
        """The trial with at most so many neurons; None if fewer would be of no use."""

    def is_waste(self, neurons: int) -> bool:
        """Whether a round with so few neurons is known to give no digit."""
        return False
