"""Open domains: incident fields, gratings, and the media inside of objects."""
