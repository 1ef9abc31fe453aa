"""The shapes that users build, by name: what is here is `fs.<name>`, and a shape of problem files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import final

from fspielm.geometry import shapes
from fspielm.geometry.domain import Domain

_HERE: dict[str, Callable[..., Domain]] = {name: s for name, s in vars(shapes).items() if not name.startswith("_")}
# Shapes of the benchmarks, which lie above: their modules are named, and imported when a shape is asked for.
_ELSEWHERE = {"Pacman": "fspielm.cases.pacman", "Panda": "fspielm.cases.panda"}


@final
class _Catalogue(Mapping[str, Callable[..., Domain]]):
    def __getitem__(self, name: str) -> Callable[..., Domain]:
        if name in _ELSEWHERE:
            shape: Callable[..., Domain] = getattr(import_module(_ELSEWHERE[name]), name)
            return shape
        return _HERE[name]

    def __iter__(self) -> Iterator[str]:
        return iter((*_HERE, *_ELSEWHERE))

    def __len__(self) -> int:
        return len(_HERE) + len(_ELSEWHERE)


SHAPES = _Catalogue()
