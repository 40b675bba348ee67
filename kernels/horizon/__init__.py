"""Horizons: what terrain, or a surface of houses and trees, hides of the sky."""
