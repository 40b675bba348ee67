"""Terrain around a site as NS-EN 1991-1-4 sees it: roughness, orography, wind."""
