"""The problems of an ordinary working day, by which the library is measured beside finite elements."""

from everyday_problems.catalogue import EVERYDAY, MEDIA, EverydayProblem

__all__ = ["EVERYDAY", "MEDIA", "EverydayProblem"]
