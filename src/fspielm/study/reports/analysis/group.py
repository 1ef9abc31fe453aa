"""What is compared on one picture: the methods at one size, with one least-squares method and one row scaling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import final

from fspielm.study.job import Job
from fspielm.study.reports.analysis.cell import Cell
from fspielm.study.reports.analysis.methods import order_methods


@final
@dataclass(frozen=True)
class Variant:
    """The settings beside method, range and seed; None where the solver chooses."""

    neurons: int | None = None
    least_squares: str | None = None
    scaling: str | None = None

    @classmethod
    def of(cls, job: Job) -> Variant:
        """The variant that a job belongs to."""
        return cls(job.neurons, job.least_squares, job.scaling)

    @property
    def automatic(self) -> bool:
        """Whether the solver chooses all of it."""
        return self == Variant()

    def describe(self, among: Iterable[Variant] = ()) -> str:
        """The settings in words: all of them, or only what tells them apart from the others `among` which they are."""
        if self.automatic:
            return "automatic"
        others = [other for other in among if not other.automatic]
        names = [name.name for name in fields(self)]
        apart = [name for name in names if len({getattr(other, name) for other in others}) > 1]
        return ", ".join(self.word(name) for name in (apart if others else names))

    def word(self, name: str) -> str:
        """One of the settings in words."""
        match name:
            case "neurons":
                return f"{self.neurons} neurons"
            case "least_squares":
                return str(self.least_squares)
            case _:
                return "rows as they are" if self.scaling == "none" else f"{self.scaling} rows"


@final
@dataclass(frozen=True)
class Group:
    """The cells of one subject and one variant, and those of the automatic solver.

    Attributes
    ----------
    subject : str
    variant : Variant
    label : str
        What tells it from the other variants of the subject; empty if it is the only one.
    cells : sequence of Cell
    """

    subject: str
    variant: Variant
    label: str
    cells: Sequence[Cell]

    @cached_property
    def methods(self) -> list[str]:
        """The methods that it has, finished or not."""
        return order_methods(cell.job.method for cell in self.cells)

    def of(self, method: str) -> list[Cell]:
        """The cells of a method."""
        return [cell for cell in self.cells if cell.job.method == method]

    def best(self, method: str) -> Cell | None:
        """The cell with the smallest error of any seed: how the paper chooses its range of frequencies."""
        return best_cell(self.of(method))

    @cached_property
    def best_method(self) -> str | None:
        """The method with the smallest error."""
        found = best_cell(self.cells)
        return None if found is None else found.job.method

    def at(self, method: str, mu: tuple[float, float]) -> Cell | None:
        """The cell of a method at a range of frequencies."""
        return next((cell for cell in self.of(method) if cell.job.mu == mu), None)


def best_cell(cells: Iterable[Cell]) -> Cell | None:
    """The cell with the smallest error of any seed; of equal ones that with the smaller mean."""

    def errors(cell: Cell) -> tuple[float, float]:
        assert cell.error is not None
        return cell.error.best, cell.error.mean

    return min((cell for cell in cells if cell.error), key=errors, default=None)


def make_groups(cells: Sequence[Cell]) -> list[Group]:
    """The groups of one subject's cells."""
    variants = list(dict.fromkeys(Variant.of(cell.job) for cell in cells))
    by_hand = [variant for variant in variants if not variant.automatic]
    label = {variant: variant.describe(by_hand) if len(by_hand) > 1 else "" for variant in variants}
    return [
        Group(cells[0].job.subject, variant, label[variant], [cell for cell in cells if _belongs(cell, variant)])
        for variant in by_hand or variants
    ]


def _belongs(cell: Cell, variant: Variant) -> bool:
    own = Variant.of(cell.job)
    return own == variant or own.automatic
