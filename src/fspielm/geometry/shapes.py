"""The shapes that users build, by name: what is here is `fs.<name>`, and a shape of problem files."""

from __future__ import annotations

from collections.abc import Callable

from fspielm.cases.pacman import Pacman
from fspielm.cases.panda import Panda
from fspielm.geometry.annulus import Annulus
from fspielm.geometry.ball import Ball
from fspielm.geometry.box import Box, Interval
from fspielm.geometry.cylinder import Cylinder
from fspielm.geometry.disk import Disk
from fspielm.geometry.domain import Domain
from fspielm.geometry.ellipse import Ellipse
from fspielm.geometry.ellipsoid import Ellipsoid
from fspielm.geometry.lshape import LShape
from fspielm.geometry.parametric import Curve
from fspielm.geometry.polar import PolarCurve
from fspielm.geometry.polygon import Polygon
from fspielm.geometry.surface import Surface

_ALL: tuple[Callable[..., Domain], ...] = (
    Annulus,
    Ball,
    Box,
    Interval,
    Cylinder,
    Disk,
    Ellipse,
    Ellipsoid,
    LShape,
    Curve,
    PolarCurve,
    Polygon,
    Surface,
    Pacman,
    Panda,
)
SHAPES: dict[str, Callable[..., Domain]] = {shape.__name__: shape for shape in _ALL}
