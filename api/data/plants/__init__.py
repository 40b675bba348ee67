"""Registered plants, their uploads and measurements: rows of the database, for jobs, commands and endpoint groups."""
