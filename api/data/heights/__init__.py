"""Squares of heights that a machine keeps, for whoever looks at the land around a point."""
