"""The process that solves: reads jobs as lines of JSON, answers each with a line.

A study never solves in its own process: one that a solve takes down with it (memory, a crash in a library), or that
computes for too long, costs that solve alone.
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
    # what a library prints must not get between the answers
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(sys.stdin, answers)


def serve(requests: IO[str], answers: IO[str]) -> None:
    """Answer every line of `requests`: first who is serving, then the outcome of each job."""
    benches: dict[str, Bench | Performer | Outcome] = {}
    threads = blas.threads()
    _say(answers, {"environment": environment()})
    for line in requests:
        request = json.loads(line)
        if "subject" in request:
            # with the first of its jobs
            benches[request["digest"]] = _open(Subject.from_dict(request["subject"]))
        outcome = _solve(Job.from_dict(request["job"]), benches[request["digest"]], Terms(**request["terms"]), threads)
        _say(answers, {"outcome": outcome.as_dict()})


def _solve(job: Job, bench: Bench | Performer | Outcome, terms: Terms, threads: int | None) -> Outcome:
    if isinstance(bench, Outcome):
        return bench
    if threads is not None and threads < terms.threads:
        # the library takes no more than there are cores, and the last bits depend on how many it takes
        return failure(
            f"the linear algebra of this machine runs {threads} threads, the plan has {terms.threads}; "
            f"give the plan threads={threads} or fewer"
        )
    return perform(job, bench, terms) if isinstance(bench, Bench) else bench.perform(job, terms)


def _open(subject: Subject) -> Bench | Performer | Outcome:
    try:
        return subject.unpickled() if subject.pickled else subject.open()
    except Exception as error:
        # the plan was read elsewhere; what differs here must not end the study
        return failure(f"the problem cannot be read: {error}")


def _say(answers: IO[str], content: dict[str, Any]) -> None:
    answers.write(json.dumps(content) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
