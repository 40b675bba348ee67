"""Typical meteorological years: one for every 3 km cell, in 15 file formats."""
