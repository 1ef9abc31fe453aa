"""Solutions saved to files and loaded from them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn, final

from numpy.typing import NDArray

from fspielm.basis.basis import Basis
from fspielm.cells.frames import MaterialFrames
from fspielm.collocation.system import BlockResidual
from fspielm.disk import check_place
from fspielm.errors import ProblemError, StorageWarning
from fspielm.estimate.estimate import ErrorEstimate, FieldEstimate
from fspielm.files.archive import Arrays, decode, encode, read_archive, write_archive
from fspielm.files.saved_bases import describe_basis, read_basis
from fspielm.files.saved_statement import StatedMaterials, describe_statement, read_stated_problem
from fspielm.problem.scattering.inside import one_unknown_problem, transmission_problem
from fspielm.problem.scattering.media import has_media
from fspielm.solution.report import Report
from fspielm.solution.solution import Solution
from fspielm.version import versions

# Numbers of an `ErrorEstimate`, and what files of the first format lack of one.
_NUMBERS = ("relative", "largest", "amplification", "residual", "data", "rounding", "scale", "growth")
_MISSING_IN_FIRST_FORMAT = {"growth": "nan", "fields": []}
# Fields of a report that older files call by other names.
_RENAMED = {"seed": "rng"}
# Exceptions that content may raise if it was not written by us, although the file is whole.
_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError)

SUFFIX = ".fspielm"


@final
@dataclass(frozen=True, eq=False)
class Stored:
    """The content of a file."""

    # what was solved; see `describe_statement`
    statement: Mapping[str, Any]
    # names of the unknowns
    fields: tuple[str, ...]
    basis: Basis
    # real or complex, (M,); (F, M) for F unknowns that share the basis of one
    coefficients: NDArray[Any]
    report: Report
    # None if it was not estimated
    estimate: ErrorEstimate | None
    # of fspielm, Python, NumPy and SciPy that saved it
    versions: Mapping[str, str]
    # its name if it is a part of a solution; older files have none
    caption: str = ""

    def __post_init__(self) -> None:
        # real and imaginary parts may be unknowns of their own
        has_all = self.basis.components in (len(self.fields), 2 * len(self.fields))
        shapes = [(len(self.fields), self.basis.size)] + [(self.basis.size,)] * has_all
        if self.coefficients.shape not in shapes:
            raise ValueError(f"coefficients of shape {self.coefficients.shape} where {shapes[-1]} is needed")

    @property
    def title(self) -> str:
        """The title of the problem file; empty without one."""
        return str(self.statement.get("title", ""))

    def solution(self) -> Solution:
        """The solution, with its problem if the statement was stored."""
        problem = read_stated_problem(self.statement)
        if problem.domain.is_unbounded and has_media(problem):
            problem = one_unknown_problem(transmission_problem(problem))
        if problem.dimension != self.basis.dimension:
            raise ValueError(f"{self.basis.dimension} dimensions where the problem has {problem.dimension}")
        known = self.fields == problem.names or self.basis.components == 1
        if self.basis.components != len(problem.unknowns) or not known:
            raise ValueError(
                f"functions for {', '.join(self.fields)} where the unknowns are {', '.join(problem.names)}"
            )
        estimate = _not_estimated if self.estimate is None else self.estimate
        return Solution(problem, self.basis, self.coefficients, self.report, estimate, self.caption)


def stored_form(solution: Solution) -> Stored:
    """The content of a file for a solution. An error that was not estimated yet is not estimated now."""
    problem, report = solution.problem, solution.report
    basis, coefficients = solution.basis.valued(solution.coefficients)
    statement = describe_statement(problem, report.tol, report.rng)
    _check_materials(basis, statement)
    estimate = None
    if report.error_estimate is not None or "estimate" in vars(solution):
        estimate = replace(solution.estimate, null=solution.basis.valued(solution.estimate.null)[1])
    return Stored(statement, problem.names, basis, coefficients, report, estimate, versions(), solution.caption)


def _check_materials(basis: Basis, statement: Mapping[str, Any]) -> None:
    """Refuse cells whose materials only the statement could distinguish, if it cannot be stored."""
    # the first column is the region, which the domain knows
    unknown = any(
        isinstance(own.frames, MaterialFrames) and (own.frames.rows.shape[1] > 1 or statement["domain"] is None)
        for own in basis.on_cells
        if statement["missing"] is not None
    )
    if unknown:
        raise ProblemError(
            f"a solution on cells of several materials cannot be saved without its statement: {statement['missing']}"
        )


def write_stored(stored: Stored, path: str | os.PathLike[str]) -> None:
    """Write the content to a file, which appears complete or not at all."""
    arrays: Arrays = {"coefficients": stored.coefficients}
    content = {
        "versions": dict(stored.versions),
        "statement": dict(stored.statement),
        "fields": list(stored.fields),
        "caption": stored.caption,
        "basis": describe_basis(stored.basis, arrays),
        "report": encode(stored.report),
        "estimate": None if stored.estimate is None else _describe_estimate(stored.estimate, arrays),
    }
    write_archive(path, content, arrays)


def read_stored(path: str | os.PathLike[str]) -> Stored:
    """Read what `write_stored` has written; nothing in the file is executed."""
    content, arrays = read_archive(path)
    try:
        return Stored(
            dict(content["statement"]),
            tuple(str(name) for name in content["fields"]),
            read_basis(content["basis"], arrays, materials=StatedMaterials(content["statement"])),
            arrays["coefficients"],
            decode(Report, {_RENAMED.get(name, name): value for name, value in content["report"].items()}),
            None if content["estimate"] is None else _read_estimate(content["estimate"], arrays),
            {str(name): str(version) for name, version in content["versions"].items()},
            decode(str, content.get("caption", "")),
        )
    except _UNREADABLE as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str | os.PathLike[str], error: Exception) -> ProblemError:
    return ProblemError(f"{os.fspath(path)}: not a solution that fspielm saved: {type(error).__name__}, {error}")


def _describe_estimate(estimate: ErrorEstimate, arrays: Arrays) -> dict[str, Any]:
    arrays |= {"estimate.null_function": estimate.null_function, "estimate.null": estimate.null}
    numbers = {name: encode(getattr(estimate, name)) for name in _NUMBERS}
    return numbers | {"residuals": encode(estimate.residuals), "fields": encode(estimate.fields)}


def _read_estimate(content: dict[str, Any], arrays: Arrays) -> ErrorEstimate:
    content = _MISSING_IN_FIRST_FORMAT | content
    numbers = {name: decode(float, content[name]) for name in _NUMBERS}
    return ErrorEstimate(
        **numbers,
        residuals=decode(Mapping[str, BlockResidual], content["residuals"]),
        null_function=arrays["estimate.null_function"],
        null=arrays["estimate.null"],
        fields=decode(tuple[FieldEstimate, ...], content["fields"]),
    )


def _not_estimated() -> NoReturn:
    raise ProblemError(
        "the error was not estimated before the solution was saved, and now the system that it needs is gone; "
        "solve again, and look at solution.error_estimate before saving"
    )


def save(solution: Solution, path: str | os.PathLike[str], *, title: str = "", stacklevel: int = 2) -> None:
    """Save a solution to one file, with the title of its problem file; see `Solution.save`."""
    check_place(path, (SUFFIX,))
    stored = stored_form(solution)
    if title:
        stored = replace(stored, statement={**stored.statement, "title": title})
    write_stored(stored, path)
    if stored.statement["missing"] is not None:
        warnings.warn(
            f"saved without its statement: {stored.statement['missing']}; the solution can be evaluated from the file, "
            "but not solved again",
            StorageWarning,
            stacklevel=stacklevel,
        )


def load(path: str | os.PathLike[str]) -> Solution:
    """Load a solution that `Solution.save` has written to a file.

    It evaluates to the same bits. Nothing in the file is executed, and a checksum over every byte detects changes.

    Parameters
    ----------
    path : path

    Returns
    -------
    Solution
        Its `problem` can be solved again, unless it held something that a file cannot hold; saving has warned of that.
        Such a solution can still be evaluated, and whatever needs the statement says what is missing.

    Raises
    ------
    ProblemError
        If the file is not a saved solution, not complete, changed since, or written by a newer version.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import fspielm as fs
    >>> problem = fs.read_problem('''
    ... unknown = "u(x)"
    ... equation = "dx(u, 2) + 100*u = 0"
    ... domain = { shape = "Interval", a = 0, b = 1 }
    ... conditions = [{ type = "dirichlet", value = 1 }]
    ... ''')
    >>> solution = fs.solve(problem, rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "wave.fspielm"
    ...     solution.save(path)
    ...     loaded = fs.load(path)
    >>> bool(loaded([[0.3]]) == solution([[0.3]]))
    True
    """
    stored = read_stored(path)
    try:
        return stored.solution()
    except _UNREADABLE as error:
        raise _unreadable(path, error) from error
