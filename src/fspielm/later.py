"""Names and methods whose modules are imported when they are first asked for.

What every solve needs is imported at once. What only some need, pictures, files, cells, waits here, so that importing
the library costs no time for it. Type checkers read the imports beside it, under ``TYPE_CHECKING``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MethodType
from typing import Any, final


def names_from(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package some of whose names come later.

    No such name may be that of a module of the package: importing the module would put it in the place of the name.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    homes : mapping
        The module that has each name.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)  # so that this is asked once
        return value

    return get


@final
class MethodsFrom:
    """Functions of a module as methods of a class: in its body, ``plot = MethodsFrom("pictures").plot``."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> _Method:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Method(self._module, name)


@final
class _Method:
    """In a class until it is first touched, by whatever looks at the class; then the function itself is there."""

    def __init__(self, module: str, function: str) -> None:
        self._module, self._function = module, function

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        function = getattr(import_module(self._module), self._function)
        setattr(self._owner, self._name, function)
        return function if instance is None else MethodType(function, instance)
