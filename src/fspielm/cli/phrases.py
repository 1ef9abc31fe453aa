"""What messages of the library advise, in the words of the command line: options in the place of arguments."""

from __future__ import annotations

import re
from functools import partial

# Two ends as Python writes them; complex ones are in brackets of their own.
_END = r"\(?([^(),]+)\)?"
_ENDS = rf"\({_END}, {_END}\)"

# What a message says, and what it says here.
_PHRASES = {
    r"budget=fs\.Budget\(seconds=\.\.\.\)": "--seconds",
    r"budget=fs\.Budget\(memory=\.\.\.\)": "--memory",
    rf"\bwithin={_ENDS}": "--within {} {}",
    rf"(?<=: write ){_ENDS}": "--within {} {}",
    rf"(?<=right one, write ){_ENDS}": "--within {} {}",
    rf"(?<=real values, as in ){_ENDS}": "--within {} {}",
    r"\bwithin=(?= )|\bwithin(?= is | must )|(?<=give )within": "--within",
    r"\bcount=(\d+)": "--count {}",
    r"\bcount=(?!\w)|\bcount(?= must )|(?<=not )count(?=:)": "--count",
    r"^far_field(?=:| is )": "--far-field",
    r"fs\.Exterior\(\.\.\.\), (?=in problem files )": "",
    r"open domains have resonances, fs\.Exterior\(\.\.\.\)": "open domains have resonances",
    r"is said by solution\.orders\(\)": "is said by orders() of the solution, saved with --out and loaded in Python",
}
_COMPILED = [(re.compile(said), typed) for said, typed in _PHRASES.items()]


def in_options(message: str) -> str:
    """The message, with what is to be typed in the place of Python."""
    for said, typed in _COMPILED:
        message = said.sub(partial(_typed, typed), message)
    return message


def _typed(form: str, match: re.Match[str]) -> str:
    """A phrase with its numbers, each of which is one word on a command line: 1-0.5j."""
    return form.format(*(number.replace(" ", "") for number in match.groups()))
