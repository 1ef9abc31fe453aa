"""Options that belong together are declared once, as the fields of a dataclass, which a command takes as one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer

from fspielm.errors import ProblemError


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """`command` for Typer: each of its parameters that is a dataclass is replaced by the fields of that."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    shown: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name in groups:
            kinds = get_type_hints(groups[name], include_extras=True)
            shown += [_keyword(field.name, kinds[field.name], field.default) for field in fields(groups[name])]
        else:
            shown.append(_keyword(name, hints[name], parameter.default))

    @wraps(command)
    def flat(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    flat.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    return flat


def _keyword(name: str, kind: Any, default: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def optional(metavar: str, text: str, default: str, **more: Any) -> Any:
    """An option that is None unless it is typed, which has the effect that `default` tells."""
    return typer.Option(metavar=metavar, help=text, show_default=default, **more)


def _refuse(value: str | None) -> None:
    if value is not None:
        raise ProblemError(f"--seed is called --rng now, as the argument of fs.solve is; write --rng {value}")


OldSeed = Annotated[str | None, typer.Option("--seed", hidden=True, callback=_refuse)]
