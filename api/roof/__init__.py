"""Roof analysis: the planes of a building's roof, and the modules that it holds."""
