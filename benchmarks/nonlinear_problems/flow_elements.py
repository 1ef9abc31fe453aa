"""Steady flows by finite elements of Taylor and Hood, of high order: what ours are compared with.

    python benchmarks/nonlinear_problems/flow_elements.py     # NGSolve -> flow_cavity.csv

Newton's method from Stokes' flow, and from one Reynolds number to the next. The mesh is graded toward the corners,
where velocities are no smoother than a power of the distance. The same with polynomials of two degrees less says how
many digits are known.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

REYNOLDS = (100, 400, 1000)
TABLE = Path(__file__).with_name("flow_cavity.csv")
_ORDER = 10
# Ends of elements from a wall to the middle of the square, and points that are kept along each axis.
_ENDS = (0.0, 0.02, 0.08, 0.19, 0.34, 0.5)
_KEPT = 17
_MOST_STEPS, _SMALL = 12, 1e-6


def points() -> NDArray[np.float64]:
    """Where values are kept: nodes of Gauss, which are nowhere on an edge of elements."""
    nodes = 0.5 + 0.5 * np.polynomial.legendre.leggauss(_KEPT)[0]
    return np.stack(np.meshgrid(nodes, nodes, indexing="ij"), axis=-1).reshape(-1, 2)


def _mesh() -> Any:
    from ngsolve.meshes import MakeStructured2DMesh

    ends = np.array([*_ENDS, *(1 - np.array(_ENDS[-2::-1]))])
    count = len(ends) - 1

    def place(x: float, y: float) -> tuple[float, float]:
        return float(ends[round(x * count)]), float(ends[round(y * count)])

    return MakeStructured2DMesh(quads=True, nx=count, ny=count, mapping=place)


def cavities(order: int) -> dict[int, NDArray[np.float64]]:
    """Velocities and the pressure, but for a constant, at the points, ``(n, 3)``, by the Reynolds number."""
    import ngsolve as ng

    mesh = _mesh()
    velocities = ng.VectorH1(mesh, order=order, dirichlet=".*")
    space = velocities * ng.H1(mesh, order=order - 1)
    (u, p), (v, q) = space.TnT()
    free = space.FreeDofs()
    free.Clear(space.Range(1).start)  # nothing else fixes the pressure
    flow = ng.GridFunction(space)
    lid = 16 * ng.x**2 * (1 - ng.x) ** 2
    flow.components[0].Set(ng.CF((lid, 0)), definedon=mesh.Boundaries("top"))
    found = {}
    for reynolds in (1, *REYNOLDS):
        form = ng.BilinearForm(space)
        form += (1 / reynolds) * ng.InnerProduct(ng.grad(u), ng.grad(v)) * ng.dx
        form += (ng.InnerProduct(ng.grad(u) * u, v) - p * ng.div(v) - q * ng.div(u)) * ng.dx
        rest, step = flow.vec.CreateVector(), flow.vec.CreateVector()
        for _ in range(_MOST_STEPS):
            form.Apply(flow.vec, rest)
            form.AssembleLinearization(flow.vec)
            step.data = form.mat.Inverse(free, inverse="umfpack") * rest
            flow.vec.data -= step
            if ng.Norm(step) < _SMALL * ng.Norm(flow.vec):
                break
        speed, pressure = flow.components[0], flow.components[1]
        at = [mesh(*map(float, point)) for point in points()]
        found[reynolds] = np.array([[*speed(place), pressure(place)] for place in at])
    return found


def main() -> None:
    """Write the table, and tell how far two degrees are apart."""
    fine, coarse = cavities(_ORDER), cavities(_ORDER - 2)
    columns, head = [points()], ["x", "y"]
    for reynolds in REYNOLDS:
        one, other = (each[reynolds] - [0, 0, 1] * each[reynolds].mean(axis=0) for each in (fine, coarse))
        apart = np.linalg.norm(one - other, axis=0) / np.linalg.norm(one, axis=0)
        print(f"Re = {reynolds}: degrees {_ORDER} and {_ORDER - 2} differ by {apart.max():.1e}", flush=True)
        columns.append(fine[reynolds])
        head += [f"{name}{reynolds}" for name in "uvp"]
    np.savetxt(TABLE, np.hstack(columns), fmt="%.12g", delimiter=",", header=",".join(head), comments="")


if __name__ == "__main__":
    main()
