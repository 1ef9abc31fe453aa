"""Every shape of this package that users build, two lines each; see `catalogue`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fspielm.geometry.annulus import Annulus as Annulus
    from fspielm.geometry.ball import Ball as Ball
    from fspielm.geometry.box import Box as Box
    from fspielm.geometry.box import Interval as Interval
    from fspielm.geometry.cylinder import Cylinder as Cylinder
    from fspielm.geometry.disk import Disk as Disk
    from fspielm.geometry.ellipse import Ellipse as Ellipse
    from fspielm.geometry.ellipsoid import Ellipsoid as Ellipsoid
    from fspielm.geometry.lshape import LShape as LShape
    from fspielm.geometry.parametric import Curve as Curve
    from fspielm.geometry.polar import PolarCurve as PolarCurve
    from fspielm.geometry.polygon import Polygon as Polygon
    from fspielm.geometry.surface import Surface as Surface

# Imported when they are asked for: a problem has one domain.
HOMES = {
    "Annulus": "fspielm.geometry.annulus",
    "Ball": "fspielm.geometry.ball",
    "Box": "fspielm.geometry.box",
    "Interval": "fspielm.geometry.box",
    "Cylinder": "fspielm.geometry.cylinder",
    "Disk": "fspielm.geometry.disk",
    "Ellipse": "fspielm.geometry.ellipse",
    "Ellipsoid": "fspielm.geometry.ellipsoid",
    "LShape": "fspielm.geometry.lshape",
    "Curve": "fspielm.geometry.parametric",
    "PolarCurve": "fspielm.geometry.polar",
    "Polygon": "fspielm.geometry.polygon",
    "Surface": "fspielm.geometry.surface",
}
