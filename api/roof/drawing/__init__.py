"""Drawings of a roof with its modules: SVG, PNG, DXF and GeoJSON."""
