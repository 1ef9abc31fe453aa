"""The shapes that users build, by name: what is here is `fs.<name>`, and a shape of problem files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import final

from fspielm.geometry import shapes
from fspielm.geometry.domain import Domain

# Those of the benchmarks lie above: their modules are named, and imported when a shape is asked for, as all others.
_HOMES = shapes.HOMES | {"Pacman": "fspielm.cases.pacman", "Panda": "fspielm.cases.panda"}


@final
class _Catalogue(Mapping[str, Callable[..., Domain]]):
    def __getitem__(self, name: str) -> Callable[..., Domain]:
        shape: Callable[..., Domain] = getattr(import_module(_HOMES[name]), name)
        return shape

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


SHAPES = _Catalogue()
