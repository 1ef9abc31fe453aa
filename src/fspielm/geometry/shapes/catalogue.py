"""The shapes by name: each of them is `fs.<name>`, and a shape of problem files."""

from __future__ import annotations

from collections.abc import Callable

from fspielm.geometry.domain import Domain
from fspielm.geometry.shapes.annulus import Annulus
from fspielm.geometry.shapes.ball import Ball
from fspielm.geometry.shapes.box import Box, Interval
from fspielm.geometry.shapes.cylinder import Cylinder
from fspielm.geometry.shapes.disk import Disk
from fspielm.geometry.shapes.ellipse import Ellipse
from fspielm.geometry.shapes.ellipsoid import Ellipsoid
from fspielm.geometry.shapes.lshape import LShape
from fspielm.geometry.shapes.pacman import Pacman
from fspielm.geometry.shapes.panda import Panda
from fspielm.geometry.shapes.parametric import Curve
from fspielm.geometry.shapes.polar import PolarCurve
from fspielm.geometry.shapes.polygon import Polygon
from fspielm.geometry.shapes.surface import Surface

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
