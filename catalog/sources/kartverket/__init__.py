"""Kartverket: borders of counties and municipalities, and heights of the land."""
