"""Reports of a study: tables and pictures, and one page with all of it."""

from fspielm.study.reports.report import write_report

__all__ = ["write_report"]
