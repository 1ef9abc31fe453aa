"""Every exception and warning that fspielm raises on purpose."""

from __future__ import annotations

from typing import Any

# Characters of a line in a message, and of a list in a file.
LONGEST_LINE = 70


class ProblemError(ValueError):
    """A statement that cannot be solved as written: what is wrong, and what would be right."""


class IterateError(ProblemError):
    """A nonlinear equation, or its linearisation, is not finite at an iterate."""


class UnsuitableError(Exception):
    """A kind of functions does not suit a problem; another may. The statement itself is correct."""


class TextError(ProblemError):
    """A text that cannot be parsed.

    Its message has three lines: the reason with line and column, this line of the text, and a mark below the column, at
    the `position` of the offending character. The `name` is that of a file, or empty.
    """

    def __init__(self, reason: str, text: str, position: int, name: str = "") -> None:
        self.reason, self.text, self.position, self.name = reason, text, position, name
        where = f"line {self.line}, column {self.column}"
        super().__init__(f"{f'{name}, ' if name else ''}{where}: {reason}\n{self.excerpt}")

    @property
    def line(self) -> int:
        """The line number, from 1."""
        return self.text.count("\n", 0, self.position) + 1

    @property
    def column(self) -> int:
        """The column, from 1."""
        return self.position - self.text.rfind("\n", 0, self.position)

    @property
    def excerpt(self) -> str:
        """The line, or a piece of it around the position, with a mark below the position."""
        line = self.text.split("\n")[self.line - 1]
        # replace characters that would move the mark
        line = "".join(c if c.isprintable() else " " for c in line)
        start = max(0, self.column - 1 - LONGEST_LINE // 2) if len(line) > LONGEST_LINE else 0
        return f"    {line[start : start + LONGEST_LINE]}\n    {' ' * (self.column - 1 - start)}^"

    def __reduce__(self) -> tuple[type[TextError], tuple[str, str, int, str]]:
        return TextError, (self.reason, self.text, self.position, self.name)


class MemoryBudgetError(MemoryError):
    """The solve would need more memory than its budget allows; nothing was allocated."""


class SolveError(ArithmeticError):
    """The linear algebra could not produce an answer with the method that was asked for."""


class TooLongError(SolveError):
    """Optional work, or work that can be made smaller, has used its share of the time."""


class OutOfTime(BaseException):
    """The enforced `Deadline` has passed; no `Exception`, so that no fallback continues after it."""


class SolveInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a call; holds the results so far.

    Attributes
    ----------
    solution : Solution or None
        The best so far, with its estimate and verdict; None before the end of the first round.
    modes : Modes or None
        From `eigenmodes`.
    branch : Branch or None
        From `follow`.
    rows : Dataset or None
        From `sweep`.
    """

    def __init__(self, *, solution: Any = None, modes: Any = None, branch: Any = None, rows: Any = None) -> None:
        self.solution, self.modes, self.branch, self.rows = solution, modes, branch, rows
        found = {"solution": solution, "modes": modes, "branch": branch, "rows": rows}
        kept = next((name for name, value in found.items() if value is not None), "")
        super().__init__(f"interrupted; .{kept} is the best so far" if kept else "interrupted before the first result")


class WorkersLostError(ConnectionError):
    """No worker is left for the remaining solves of a study; finished solves are stored."""


_BLAME = "raised by "


def blame(error: BaseException, who: str) -> None:
    """Add a note to an error that a user's function raised it."""
    error.add_note(f"{_BLAME}{who}")


def is_users(error: BaseException) -> bool:
    """Whether the user has to fix an error: in the statement or in a user's function."""
    return isinstance(error, ProblemError) or any(note.startswith(_BLAME) for note in getattr(error, "__notes__", ()))


class AccuracyWarning(UserWarning):
    """A solution misses its tolerance."""


class OutsideWarning(UserWarning):
    """A solution was evaluated outside of its domain, where its values are nan."""


class StorageWarning(UserWarning):
    """A part of a solution could not be written to its file."""


class WorkersWarning(UserWarning):
    """Something is wrong with the workers of a study."""
