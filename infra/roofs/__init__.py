"""Roofs from files of heights and outlines in any CRS."""
