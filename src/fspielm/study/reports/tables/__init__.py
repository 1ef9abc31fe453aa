"""The numbers of a report as files: CSV for programs, LaTeX for papers."""

from fspielm.study.reports.tables.csv_files import write_cells, write_summary
from fspielm.study.reports.tables.latex import best_errors_table, best_ranges_table, subject_table

__all__ = ["best_errors_table", "best_ranges_table", "subject_table", "write_cells", "write_summary"]
