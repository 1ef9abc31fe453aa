"""The command line, called in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from fspielm.cli import main


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The message, after a check that it is one line on stderr and nothing else was printed."""
        assert self.out == ""
        assert self.err.count("\n") == 1
        assert self.err.startswith("fspielm: error: ")
        return self.err.removeprefix("fspielm: error: ").rstrip("\n")


@pytest.fixture
def fspielm(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """Run ``fspielm`` with arguments."""
    monkeypatch.setenv("COLUMNS", "80")
    for variable in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(variable, raising=False)
    # on a busy machine anything may take longer than two seconds
    monkeypatch.setattr("fspielm.cli.progress._PATIENCE_SECONDS", 3600.0)

    def call(*arguments: object) -> Done:
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        assert isinstance(end.value.code, int)
        return Done(end.value.code, *capsys.readouterr())

    return call


class _AtOnce:
    """A timer that does not wait."""

    daemon = True

    def __init__(self, seconds: float, function: Callable[[], None]) -> None:
        self._function = function

    def start(self) -> None:
        self._function()

    def cancel(self) -> None:
        """Too late."""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is something that takes long."""
    monkeypatch.setattr("fspielm.cli.progress.Timer", _AtOnce)
