"""Reports of a study: tables, pictures and one page with all of it."""
