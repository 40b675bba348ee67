"""Roof analysis: modules on a building's roof."""
