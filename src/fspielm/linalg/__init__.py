"""The solve: least-squares methods and their diagnostics."""

from fspielm.linalg.extension import Extension, Triangular, extend
from fspielm.linalg.factorisation import Factorisation, factor
from fspielm.linalg.least_squares import LeastSquares, LeastSquaresResult
from fspielm.linalg.qr import QR
from fspielm.linalg.svd import TruncatedSVD

__all__ = [
    "QR",
    "Extension",
    "Factorisation",
    "LeastSquares",
    "LeastSquaresResult",
    "Triangular",
    "TruncatedSVD",
    "extend",
    "factor",
]
