"""A point source on the Panda by finite elements of high order: what `wavelengths.py` compares with.

NGSolve is optional: ``pip install 'fspielm[bench]'``. What the elements get is as good as can be. Their outline is a
spline through points of the true one, their edges are parabolas, and their data are the values of the exact solution
on that: as it solves the equation beyond the outline too, neither costs a digit. (Edges of higher degree do, by two
digits, where elements are as large as an ear.) Static condensation and a sparse Cholesky factorisation solve.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from scipy.special import hankel1

import fspielm as fs

ORDER = 10
# Elements have a size of this over the wavenumber at 100, which makes an error of 1e-8; a little less at higher ones,
# as errors of the phase add up on the way.
STEP = 3.0
OUTLINE = 400


def solve_panda(
    kappa: float, source: Sequence[float], points: np.ndarray, threads: int
) -> tuple[np.ndarray, int, float]:
    """Values ``(n,)`` at `points`, NaN outside of the mesh; the number of unknowns; seconds from outline to values."""
    import ngsolve as ng

    ng.SetNumThreads(threads)
    with ng.TaskManager():
        start = perf_counter()
        mesh, outline = _mesh(ng, STEP / kappa * (100 / kappa) ** (0.5 / ORDER))
        field = _solve(ng, mesh, kappa, _point_source(ng, kappa, source, outline))
        places = mesh(*points.T)
        inside = places["nr"] >= 0
        values = np.full(len(points), np.nan)
        values[inside] = np.ravel(field(places[inside]))
        return values, field.space.ndof, perf_counter() - start


def _mesh(ng: Any, size: float) -> tuple[Any, np.ndarray]:
    from netgen import occ

    (part,) = fs.Panda(1.0).boundary()
    outline = part.place(np.linspace(0, 1, OUTLINE + 1)[:, None]).points
    outline[-1] = outline[0]
    curve = occ.SplineInterpolation([occ.Pnt(*point, 0) for point in outline], tol=1e-13)
    face = occ.Face(occ.Wire([curve]))
    face.edges.name = "outline"
    mesh = ng.Mesh(occ.OCCGeometry(face, dim=2).GenerateMesh(maxh=size))
    mesh.Curve(2)
    return mesh, outline


def _solve(ng: Any, mesh: Any, kappa: float, data: Any) -> Any:
    space = ng.H1(mesh, order=ORDER, dirichlet="outline")
    u, v = space.TnT()
    form = ng.BilinearForm(space, symmetric=True, condense=True)
    form += (ng.grad(u) * ng.grad(v) - kappa**2 * u * v) * ng.dx
    form.Assemble()
    field = ng.GridFunction(space)
    field.Set(data, definedon=mesh.Boundaries("outline"), bonus_intorder=ORDER)
    residual = field.vec.CreateVector()
    residual.data = -form.mat * field.vec
    residual.data += form.harmonic_extension_trans * residual
    field.vec.data += form.mat.Inverse(space.FreeDofs(coupling=True), inverse="sparsecholesky") * residual
    field.vec.data += form.harmonic_extension * field.vec
    field.vec.data += form.inner_solve * residual
    return field


def _point_source(ng: Any, kappa: float, source: Sequence[float], outline: np.ndarray) -> Any:
    """The Bessel function Y_0 of kappa r, which NGSolve lacks, to the last digits.

    Its amplitude and phase vary slowly: as functions of ``1 / (kappa r)`` they are polynomials.
    """
    reach = kappa * np.linalg.norm(outline - source, axis=1)
    least, most = 1 / (1.02 * reach.max()), 1 / (0.98 * reach.min())
    unit = np.cos(np.pi * (np.arange(60) + 0.5) / 60)
    z = 1 / (0.5 * (least + most) + 0.5 * (most - least) * unit)
    amplitude = hankel1(0, z) * np.exp(-1j * z) * np.sqrt(z)
    fit = np.polynomial.chebyshev.Chebyshev.fit
    real, imaginary = (
        fit(unit, part, 16, domain=(-1, 1)).convert(kind=np.polynomial.Polynomial).coef
        for part in (amplitude.real, amplitude.imag)
    )
    phase = kappa * ng.sqrt((ng.x - source[0]) ** 2 + (ng.y - source[1]) ** 2)
    place = (1 / phase - 0.5 * (least + most)) / (0.5 * (most - least))
    return (_polynomial(ng, imaginary, place) * ng.cos(phase) + _polynomial(ng, real, place) * ng.sin(phase)) / ng.sqrt(
        phase
    )


def _polynomial(ng: Any, coefficients: np.ndarray, place: Any) -> Any:
    value = ng.CoefficientFunction(float(coefficients[-1]))
    for coefficient in coefficients[-2::-1]:
        value = value * place + float(coefficient)
    return value
