"""Every shape of this package that users build, one line each; see `catalogue`."""

from fspielm.geometry.annulus import Annulus as Annulus
from fspielm.geometry.ball import Ball as Ball
from fspielm.geometry.box import Box as Box
from fspielm.geometry.box import Interval as Interval
from fspielm.geometry.cylinder import Cylinder as Cylinder
from fspielm.geometry.disk import Disk as Disk
from fspielm.geometry.ellipse import Ellipse as Ellipse
from fspielm.geometry.lshape import LShape as LShape
from fspielm.geometry.parametric import Curve as Curve
from fspielm.geometry.polar import PolarCurve as PolarCurve
from fspielm.geometry.polygon import Polygon as Polygon
from fspielm.geometry.surface import Surface as Surface
