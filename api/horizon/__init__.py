"""Horizon profiles: what hides the sun at a place, in 720 directions."""
