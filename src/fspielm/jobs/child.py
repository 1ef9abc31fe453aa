"""The process that solves: reads jobs as lines of JSON, answers each with a line.

A study never solves in its own process: if a solve crashes, runs out of memory or takes too long, only that solve is
lost.
"""

from __future__ import annotations

import json
import os
import sys
from typing import IO, Any

import fspielm.resources as blas
from fspielm.jobs.job import Job, Outcome, Terms, environment, failure
from fspielm.jobs.perform import perform
from fspielm.jobs.subject import Bench, Performer, Subject


def main() -> None:
    """Serve until the parent closes the pipe."""
    # keep what libraries print apart from the answers
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.stdin, answers)


def serve(requests: IO[str], answers: IO[str]) -> None:
    """Write the environment, then the outcome of the job on each line of `requests`."""
    benches: dict[str, Bench | Performer | Outcome] = {}
    threads = blas.threads()
    _write(answers, {"environment": environment()})
    for line in requests:
        request = json.loads(line)
        if "subject" in request:
            # sent with its first job only
            benches[request["digest"]] = _open(Subject.from_dict(request["subject"]))
        outcome = _solve(Job.from_dict(request["job"]), benches[request["digest"]], Terms(**request["terms"]), threads)
        _write(answers, {"outcome": outcome.as_dict()})


def _solve(job: Job, bench: Bench | Performer | Outcome, terms: Terms, threads: int | None) -> Outcome:
    if isinstance(bench, Outcome):
        return bench
    if threads is not None and threads < terms.threads:
        # BLAS uses at most one thread a core, and the last bits depend on their number
        return failure(
            f"the linear algebra of this machine runs {threads} threads, the plan has {terms.threads}; "
            f"give the plan threads={threads} or fewer"
        )
    return perform(job, bench, terms) if isinstance(bench, Bench) else bench.perform(job, terms)


def _open(subject: Subject) -> Bench | Performer | Outcome:
    try:
        return subject.unpickled() if subject.pickled else subject.open()
    except Exception as error:
        # the plan was read elsewhere; a difference here must not end the study
        return failure(f"the problem cannot be read: {error}")


def _write(answers: IO[str], content: dict[str, Any]) -> None:
    answers.write(json.dumps(content) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
