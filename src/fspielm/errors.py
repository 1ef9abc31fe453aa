"""Every exception and warning that fspielm raises on purpose."""

from __future__ import annotations

from typing import Any

# Characters of a line that an error message shows.
_EXCERPT = 70


class ProblemError(ValueError):
    """A statement that cannot be solved as written: what is wrong, and what would be right."""


class IterateError(ProblemError):
    """A nonlinear equation, or its linearisation, has no meaning at an iterate: what is not finite there, and where."""


class UnsuitableError(Exception):
    """A kind of features does not suit a problem, and why; another kind may. Nothing is wrong with the statement."""


class TextError(ProblemError):
    """A text that cannot be read: why, and where.

    Its message has three lines: the reason with line and column, that line of the text, and a mark under the column.

    Attributes
    ----------
    reason : str
    text : str
        The whole text.
    position : int
        Index of the character at which it went wrong.
    name : str
        What the text is: a file's name, or empty.
    """

    def __init__(self, reason: str, text: str, position: int, name: str = "") -> None:
        self.reason, self.text, self.position, self.name = reason, text, position, name
        where = f"line {self.line}, column {self.column}"
        super().__init__(f"{f'{name}, ' if name else ''}{where}: {reason}\n{self.excerpt}")

    @property
    def line(self) -> int:
        """Number of the line, from 1."""
        return self.text.count("\n", 0, self.position) + 1

    @property
    def column(self) -> int:
        """Number of the character in its line, from 1."""
        return self.position - self.text.rfind("\n", 0, self.position)

    @property
    def excerpt(self) -> str:
        """The line, or the piece of it around the place, with a mark below the place."""
        line = self.text.split("\n")[self.line - 1]
        # a character in its place for everything that would move the mark
        line = "".join(c if c.isprintable() else " " for c in line)
        start = max(0, self.column - 1 - _EXCERPT // 2) if len(line) > _EXCERPT else 0
        return f"    {line[start : start + _EXCERPT]}\n    {' ' * (self.column - 1 - start)}^"

    def __reduce__(self) -> tuple[type[TextError], tuple[str, str, int, str]]:
        return TextError, (self.reason, self.text, self.position, self.name)


class MemoryBudgetError(MemoryError):
    """The solve would need more memory than its budget allows; nothing was allocated."""


class SolveError(ArithmeticError):
    """The linear algebra could not produce an answer with the method that was asked for."""


class TooLongError(SolveError):
    """Something that can be left out, or made smaller, has taken its share of the time."""


class OutOfTime(BaseException):
    """The enforced `Deadline` is over; no `Exception`, so that no fallback goes on after it."""


class SolveInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a call, and what it had found by then.

    Attributes
    ----------
    solution : Solution or None
        The best so far, with its estimate and verdict; None before the first round has ended.
    modes : Modes or None
        Of `eigenmodes`.
    branch : Branch or None
        Of `follow`.
    rows : Dataset or None
        Of `sweep`.
    """

    def __init__(self, *, solution: Any = None, modes: Any = None, branch: Any = None, rows: Any = None) -> None:
        self.solution, self.modes, self.branch, self.rows = solution, modes, branch, rows
        found = {"solution": solution, "modes": modes, "branch": branch, "rows": rows}
        kept = next((name for name, value in found.items() if value is not None), "")
        super().__init__(f"interrupted; .{kept} is the best so far" if kept else "interrupted before the first result")


class WorkersLostError(ConnectionError):
    """Nobody is left to solve what a study still has to; what has ended is stored."""


_BLAME = "raised by "


def blame(error: BaseException, who: str) -> None:
    """Note on an error that a function of the user's raised it."""
    error.add_note(f"{_BLAME}{who}")


def is_users(error: BaseException) -> bool:
    """Whether an error is for the user to mend: in the statement, or raised by a function of the user's."""
    return isinstance(error, ProblemError) or any(note.startswith(_BLAME) for note in getattr(error, "__notes__", ()))


class AccuracyWarning(UserWarning):
    """A solution misses its tolerance: by how much, why, and what would help."""


class OutsideWarning(UserWarning):
    """A solution was asked for values at points outside of its domain, which are nan."""


class StorageWarning(UserWarning):
    """Something of a solution could not be written to its file: what, and what that means for loading it."""


class WorkersWarning(UserWarning):
    """The workers of a study are not as they should be: what is wrong with them, and what would be better."""
