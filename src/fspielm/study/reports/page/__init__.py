"""The page of a report: one file of HTML, complete in itself."""
