"""Roofs: planes from heights, their polygons, form and obstacles, and where modules fit on them."""
