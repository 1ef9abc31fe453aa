"""Ctrl-C at random times: whether the best so far is there, in the library and on the command line.

``python benchmarks/interruptions.py run [--count 20] [--seed N] [--only NAME]`` runs every call once to its end, then
interrupts them at random moments, each in a process of its own, and prints what was left. The seed is drawn anew
unless it is given. A row is wrong if rounds, points or rows had ended and nothing is there, or if the call did not end
as it should: with `fs.SolveInterrupted`, or with the exit code 130. ``list`` prints the names.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter, sleep

import sympy as sp

import fspielm as fs

x, y, t, lam, k = sp.symbols("x y t lam k", real=True)
SQUARE = fs.Box((0, 0), (1, 1))
# The exit code of the command line after Ctrl-C.
INTERRUPTED = 130


def field(*coordinates):
    """An unknown."""
    return sp.Function("u")(*coordinates)


def laplacian(function):
    """Second derivatives in the plane."""
    return function.diff(x, 2) + function.diff(y, 2)


def solve_band(progress):
    """Waves in a medium that varies, to more digits than there are."""
    u, wave = field(x, y), sp.sin(25 * x + 15 * y)
    equation = sp.Eq(laplacian(u) + 1200 * (1 + x * y) * u, laplacian(wave) + 1200 * (1 + x * y) * wave)
    return fs.solve(fs.Problem(equation, SQUARE, [fs.Dirichlet(wave)]), tol=1e-13, rng=0, progress=progress)


def solve_cells(progress):
    """A ridge."""
    u = field(x, y)
    problem = fs.Problem(sp.Eq(laplacian(u), sp.tanh(40 * (x - y))), SQUARE, [fs.Dirichlet(0)])
    return fs.solve(problem, tol=1e-7, rng=0, progress=progress)


def solve_newton(progress):
    """An equation that is not linear."""
    u = field(x, y)
    problem = fs.Problem(sp.Eq(laplacian(u) - u**3, -300 * sp.sin(20 * x * y)), SQUARE, [fs.Dirichlet(0)])
    return fs.solve(problem, tol=1e-12, rng=0, progress=progress)


def solve_windows(progress):
    """Burgers' equation, window by window."""
    u = field(x, t)
    equation = sp.Eq(u.diff(t) + u * u.diff(x), u.diff(x, 2) / 20)
    conditions = [fs.Dirichlet(0), fs.Initial(sp.sin(x))]
    problem = fs.Problem(equation, fs.Interval(0, sp.pi) * fs.Time(0, 2), conditions)
    return fs.solve(problem, approach="windows", tol=1e-5, rng=0, progress=progress)


def refine(progress):
    """A solution to more digits."""
    u = field(x, y)
    problem = fs.Problem(sp.Eq(laplacian(u), sp.tanh(40 * (x - y))), SQUARE, [fs.Dirichlet(0)])
    return fs.solve(problem, tol=1e-2, rng=0).refine(tol=1e-7, progress=progress)


def modes_by_cells(progress):
    """A membrane of a density that varies."""
    u = field(x, y)
    problem = fs.Problem(sp.Eq(-laplacian(u), lam * (1 + x * y) * u), SQUARE, [fs.Dirichlet(0)])
    return fs.eigenmodes(problem, lam, count=12, tol=1e-10, rng=0, progress=progress)


def modes_of_a_membrane(progress):
    """A drum, without cells."""
    u = field(x, y)
    problem = fs.Problem(sp.Eq(-laplacian(u), lam * u), fs.Ellipse((0, 0), (1, 0.7)), [fs.Dirichlet(0)])
    return fs.eigenmodes(problem, lam, count=30, rng=0, progress=progress)


def resonances(progress):
    """A disk of glass."""
    u = field(x, y)
    problem = fs.Problem(sp.Eq(laplacian(u) + k**2 * u, 0), fs.Exterior(fs.Disk((0, 0), 1)), [fs.Transparent(3 * k)])
    return fs.eigenmodes(problem, k, within=(2.2 - 0.05j, 2.6), rng=0, progress=progress)


def follow(progress):
    """Branches beside branches."""
    u = field(x)
    equation = sp.Eq(-u.diff(x, 2), lam * (u - u**3))
    problem = fs.Problem(equation, fs.Interval(0, sp.pi), [fs.Dirichlet(0)])
    return fs.follow(problem, lam, (0.5, 6), points=14, rng=0, progress=progress)


def sweep(progress):
    """A string for many wavenumbers."""
    u = field(x)
    problem = fs.Problem(sp.Eq(u.diff(x, 2) + k**2 * (1 + x) * u, 1), fs.Interval(0, 1), [fs.Dirichlet(0)])
    values = {k: [1 + 0.25 * place for place in range(60)]}

    def tell(done, total, line):
        progress(line)

    with tempfile.TemporaryDirectory() as folder:
        keep = Path(folder, "rows.db")
        try:
            return fs.sweep(problem, values, keep=keep, workers=2, progress=tell)
        except fs.SolveInterrupted as error:
            kept = None if error.rows is None else int((error.rows["status"] == "done").sum())
            print(json.dumps({"on disk": _rows_in(keep), "given": kept}), flush=True)
            raise


def _rows_in(keep):
    """How many rows a file has."""
    from fspielm.jobs import Store

    if not keep.exists():
        return None
    with Store.open(keep, read_only=True) as store:
        return len(store.rows())


CALLS = {
    each.__name__: each
    for each in (
        solve_band,
        solve_cells,
        solve_newton,
        solve_windows,
        refine,
        modes_by_cells,
        modes_of_a_membrane,
        resonances,
        follow,
        sweep,
    )
}

WAVES = """
unknown = "u(x, y)"
equation = "laplacian(u) + 1200*(1 + x*y)*u = (350 + 1200*x*y)*sin(25*x + 15*y)"
domain = { shape = "Box", lower = [0, 0], upper = [1, 1] }
conditions = [{ type = "dirichlet", value = "sin(25*x + 15*y)" }]
"""
DRUM = """
unknown = "u(x, y)"
equation = "-laplacian(u) = lam*(1 + x*y)*u"
parameters = { lam = 1 }
domain = { shape = "Box", lower = [0, 0], upper = [1, 1] }
conditions = [{ type = "dirichlet", value = 0 }]
"""
STRING = """
unknown = "u(x)"
equation = "dx(u, 2) + k**2*(1 + x)*u = 1"
parameters = { k = 10 }
domain = { shape = "Interval", a = 0, b = 1 }
conditions = [{ type = "dirichlet", value = 0 }]
"""
COMMANDS = {
    "command_solve": (WAVES, ["solve", "FILE", "--tol", "1e-13", "--out", "kept.fspielm", "--plot", "kept.png"]),
    "command_modes": (DRUM, ["modes", "FILE", "--count", "12", "--tol", "1e-10", "--save", "kept"]),
    "command_sweep": (
        STRING,
        ["solve", "FILE", "--set", "k=1:15:0.25", "--workers", "2", "--keep", "rows.db", "--out", "kept.csv"],
    ),
}
NAMES = [*CALLS, *COMMANDS]


def child(name):
    """Make a call, and say what came of it, in lines of JSON."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter("ignore")
    ended = 0

    def progress(event):
        nonlocal ended
        ended += not isinstance(event, fs.Forecast | fs.ModeSearch)

    print("begins", flush=True)
    try:
        CALLS[name](progress)
        print(json.dumps({"end": "done"}))
    except fs.SolveInterrupted as error:
        found = {each: getattr(error, each) for each in ("solution", "modes", "branch", "rows")}
        what = {each: _told(value) for each, value in found.items() if value is not None}
        print(json.dumps({"end": "interrupted", "found": what, "ended": ended}))
    except KeyboardInterrupt:  # while the problem was stated, or lost
        print(json.dumps({"end": "interrupted", "found": {}, "ended": ended}))
    except BaseException as error:
        print(json.dumps({"end": f"{type(error).__name__}: {error}"}))


def _told(value):
    """What was left, in words."""
    if isinstance(value, fs.Solution):
        return f"estimate {value.error_estimate:.1e}, {'converged' if value.converged else value.report.reason}"
    if hasattr(value, "data_vars"):
        return f"{int((value['status'] == 'done').sum())} rows done"
    if hasattr(value, "ending"):
        return f"{len(value)} points, {len(value.branches)} branches beside them: {value.ending}"
    return f"{len(value)} modes: {'; '.join(value.remarks)}"


def run_call(name, wait):
    """A call in a process of its own, interrupted after so many seconds; what it said, and how long it took."""
    process = subprocess.Popen([sys.executable, __file__, "child", name], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begins\n"
    took = _interrupt(process, wait)
    said = {}
    for line in process.communicate()[0].splitlines():
        said |= json.loads(line)
    return said or {"end": f"exit code {process.returncode}"}, took


def run_command(name, wait):
    """The same on the command line."""
    text, arguments = COMMANDS[name]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "problem.toml").write_text(text)
        command = [sys.executable, "-m", "fspielm", *(each.replace("FILE", "problem.toml") for each in arguments)]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, preexec_fn=_listen
        )
        took = _interrupt(process, wait)
        out, err = process.communicate()
        kept = sorted(place.name for place in Path(folder).iterdir() if place.name.startswith("kept"))
    last = err.splitlines()[-1] if err else ""
    # the signal kills a Python that is shutting down, after all was done
    end = {0: "done", -signal.SIGINT: "done", INTERRUPTED: "interrupted"}.get(
        process.returncode, f"exit code {process.returncode}: {last}"
    )
    told = sum(each in line for line in err.splitlines() for each in (": round ", " of 57: "))
    found = {"files": f"{', '.join(kept)}; {len(out.splitlines())} lines printed; {last}"} if kept and out else {}
    return {"end": end, "found": found, "ended": told}, took


def _listen():
    """Ctrl-C counts, also where whoever started this has put it into the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(process, wait):
    """Send Ctrl-C after so many seconds, if there is a number; how long the process lives after that, or at all."""
    began = perf_counter()
    try:
        process.wait(wait)
    except subprocess.TimeoutExpired:
        began = perf_counter()
        process.send_signal(signal.SIGINT)
        while process.poll() is None:
            sleep(0.01)
    return perf_counter() - began


def is_wrong(said):
    """Whether something was lost: or why not, in words."""
    if said["end"] == "done":
        return ""
    if said["end"] != "interrupted":
        return "wrong end"
    if not said["found"] and said["ended"] > 0:
        return "lost"
    if (said.get("given") or 0) != (said.get("on disk") or 0):
        return "rows differ"
    return ""


def run(count, seed, only):
    """Interrupt calls at random times."""
    names = only or NAMES
    dice = random.Random(seed)
    print(f"seed {seed}")
    whole = {}
    for name in names:
        said, whole[name] = (run_call if name in CALLS else run_command)(name, None)
        print(f"{name:20s} takes {whole[name]:5.1f} s: {said['end']}", flush=True)
    order = [names[place % len(names)] for place in range(count)]
    wrong = none = late = 0
    for name in order:
        said = {"end": "done"}
        for _ in range(5):  # as long as it ends by itself before
            wait = dice.uniform(0, whole[name])
            said, after = (run_call if name in CALLS else run_command)(name, wait)
            if said["end"] != "done":
                break
            whole[name] *= 0.8
        why = is_wrong(said)
        found = said.get("found") or {}
        wrong += bool(why)
        late += said["end"] == "done"
        none += said["end"] == "interrupted" and not found
        what = "; ".join(f".{each}: {told}" for each, told in found.items()) or "nothing had ended"
        shown = said["end"] if said["end"] != "interrupted" else what[:150]
        print(
            f"{name:20s} at {wait:5.1f} s, ends {after:4.1f} s later: {shown}{'  WRONG: ' + why if why else ''}",
            flush=True,
        )
    left = count - wrong - none - late
    print(f"{count} interruptions, seed {seed}: {left} left the best so far, {none} came before anything had ended,")
    print(f"{late} after the end, {wrong} wrong")


def main():
    """Read the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list")
    running = commands.add_parser("run")
    running.add_argument("--count", type=int, default=20)
    running.add_argument("--seed", type=int)
    running.add_argument("--only", nargs="*", choices=NAMES)
    commands.add_parser("child").add_argument("name", choices=list(CALLS))
    arguments = parser.parse_args()
    if arguments.command == "list":
        print("\n".join(NAMES))
    elif arguments.command == "child":
        child(arguments.name)
    else:
        seed = random.SystemRandom().randrange(10**6) if arguments.seed is None else arguments.seed
        run(arguments.count, seed, arguments.only)


if __name__ == "__main__":
    main()
