"""The solve: least-squares methods and what they leave."""

from typing import TYPE_CHECKING

from fspielm.linalg.factored import Factored
from fspielm.linalg.householder import Householder
from fspielm.linalg.least_squares import LeastSquares
from fspielm.linalg.qr import QR

from fspielm.linalg.svd import TruncatedSVD
__all__ = [
    "QR",
    "Factored",
    "Householder",
    "LeastSquares",
    "TruncatedSVD",
]
