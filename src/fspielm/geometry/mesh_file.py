"""Triangle meshes from files, read by trimesh."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from fspielm.arrays import FloatArray
from fspielm.errors import ProblemError
from fspielm.geometry.mesh import IntArray
from fspielm.reading import open_file

_FORMATS = (".stl", ".ply", ".obj", ".off")
_MOST_MEGABYTES = 100


def read_mesh(path: str | os.PathLike[str]) -> tuple[FloatArray, IntArray]:
    """Vertices ``(n, 3)`` and faces ``(m, 3)`` of a file: STL (text or binary), PLY, OBJ or OFF."""
    path = Path(path)
    if find_spec("trimesh") is None:
        raise ProblemError("Surface.load needs trimesh: pip install 'fspielm[geometry]'")
    if path.suffix.lower() not in _FORMATS:
        raise ProblemError(f"Surface.load: path must end in {', '.join(_FORMATS)}; got {path.name!r}")
    try:
        megabytes = path.stat().st_size / 1e6
        if megabytes > _MOST_MEGABYTES:
            raise ProblemError(
                f"Surface.load: {path.name!r} has {megabytes:.0f} MB, more than the {_MOST_MEGABYTES} MB that are "
                "read: make the mesh coarser"
            )
        # An open file instead of its path: nothing that it refers to (materials, textures) is looked for.
        with open_file(path) as file:
            return _parse(file, path)
    except OSError as error:
        raise ProblemError(f"Surface.load: cannot read {str(path)!r}: {error.strerror}") from error


def _parse(file: object, path: Path) -> tuple[FloatArray, IntArray]:
    import trimesh

    try:
        mesh = trimesh.load_mesh(file, file_type=path.suffix.lower()[1:], process=False)
        vertices = np.array(mesh.vertices, dtype=np.float64).reshape(-1, 3)
        faces = np.array(mesh.faces, dtype=np.int64).reshape(-1, 3)
    except Exception as error:  # whatever a parser trips over in a broken file
        raise ProblemError(
            f"Surface.load: {path.name!r} is not a mesh in {path.suffix[1:].upper()} format ({error})"
        ) from error
    if not len(faces):
        raise ProblemError(f"Surface.load: {path.name!r} holds no triangles")
    return vertices, faces
