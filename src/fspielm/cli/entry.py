"""The entry point of the command line: every foreseen failure is one clear message and an exit code, not a traceback.

Slow imports come after the handlers of Ctrl-C are installed.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from fspielm.errors import AccuracyWarning, ProblemError, SolveError, StorageWarning, TextError, WorkersWarning
from fspielm.wording import speaking_in_options, spoken

FAILED, WRONG_INPUT = 1, 2


class Interrupted(BaseException):
    """Ctrl-C or a request to terminate; not a KeyboardInterrupt, which typer handles in its own way.

    Its notes (`add_note`) are printed; they say what is safe and how to go on.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0 done, 1 failed, 2 wrong input, 130 interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        with _signals(), _warnings(), speaking_in_options():
            status = _run(arguments)
            sys.stdout.flush()
    except (Interrupted, KeyboardInterrupt) as interrupt:
        _say("; ".join(["interrupted", *getattr(interrupt, "__notes__", [])]))
        sys.stdout.flush()
        # sys.exit would wait for threads that are still computing
        os._exit(128 + getattr(interrupt, "number", signal.SIGINT))
    except BrokenPipeError:
        # nobody reads our output any more; Python would complain again when it closes stdout
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = FAILED
    sys.exit(status)


def _run(arguments: list[str]) -> int:
    try:
        # here, since it imports the whole library, and Ctrl-C is now handled
        from fspielm.cli.app import app

        result = app(arguments, prog_name="fspielm", standalone_mode=False)
    except ProblemError as error:
        return _fail(error, WRONG_INPUT)
    except (MemoryError, SolveError) as error:
        return _fail(str(error) or "out of memory", FAILED)
    except BrokenPipeError:
        raise
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename else error, FAILED)
    except Exception as error:
        # the exceptions of typer's parser have no public names
        if not hasattr(error, "format_message"):
            raise
        return _fail(error.format_message(), WRONG_INPUT)
    return result if isinstance(result, int) else 0


def _fail(message: object, status: int) -> int:
    if isinstance(message, TextError):
        # one line, followed by the place in the text
        _say(f"error: {str(message).splitlines()[0]}")
        print(message.excerpt, file=sys.stderr, flush=True)
    else:
        _say(f"error: {spoken(str(message))}")
    return status


def _say(message: str) -> None:
    line = f"fspielm: {' '.join(message.split())}"
    print(_wrapped(line) if sys.stderr.isatty() else line, file=sys.stderr, flush=True)


def _wrapped(line: str) -> str:
    """A message wrapped between words for a terminal; elsewhere it stays one line, which can be searched."""
    from shutil import get_terminal_size  # for messages alone
    from textwrap import wrap

    width = get_terminal_size().columns
    return "\n".join(wrap(line, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False))


@contextmanager
def _warnings() -> Iterator[None]:
    """Print warnings as one line, without their place in the source."""

    def show(message: Warning | str, *place: Any, **options: Any) -> None:
        _say(f"warning: {spoken(str(message))}")

    with warnings.catch_warnings():
        warnings.showwarning = show
        # whatever PYTHONWARNINGS is: they are part of the answer, not failures
        for kind in (AccuracyWarning, StorageWarning, WorkersWarning):
            warnings.simplefilter("always", kind)
        yield


@contextmanager
def _signals() -> Iterator[None]:
    """Turn Ctrl-C and termination into `Interrupted`, so that temporary files are removed on the way out."""

    def interrupt(number: int, frame: Any) -> None:
        raise Interrupted(number)

    previous = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
