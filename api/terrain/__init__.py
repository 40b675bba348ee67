"""Terrain category and terrain form around a site (NS-EN 1991-1-4)."""
