"""A process killed while it saves leaves the old file or the new one, never a broken one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# In an interpreter of its own, which imports once and forks: pytest's own process may have threads.
SCRIPT = """
import os, random, signal, sys, time
import numpy as np
import sympy as sp
import fspielm as fs
from fspielm.files import saved as stored

x = sp.Symbol("x")
u = sp.Function("u")(x)
problem = fs.Problem(u.diff(x, 2) + u, fs.Interval(0, 1), [fs.Dirichlet(1)])
settings = dict(features=fs.Siren(40, mu=(2, 9)), points=fs.Points(interior=60, boundary=1))
versions = [fs.solve(problem, rng=seed, **settings) for seed in (0, 1)]
path, kills = sys.argv[1], int(sys.argv[2])
versions[0].save(path)
known = [version.coefficients.tobytes() for version in versions]
# without what takes long before the first byte is written
forms = [stored.stored_form(version) for version in versions]
seen = set()
chance = random.Random(0)
killed = 0
# on a busy machine some children are killed before they have written anything: later ones have longer
while killed < kills or (len(seen) < 2 and killed < 50 * kills):
    killed += 1
    child = os.fork()
    if child == 0:
        while True:
            stored.write_stored(random.choice(forms), path)
    time.sleep(chance.uniform(0, 0.03 * max(killed / kills, 1.0)))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    seen.add(known.index(fs.load(path).coefficients.tobytes()))
print(len(seen))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_killed_while_it_saves(tmp_path: Path, kills: int) -> None:
    path = tmp_path / "it.fspielm"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(path), str(kills)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "2"  # both were met: the kills fell at different times
    litter = [entry.name for entry in tmp_path.iterdir() if entry != path]
    assert all(name.startswith(".it.fspielm-") and name.endswith(".draft.fspielm") for name in litter)
