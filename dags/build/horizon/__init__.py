"""Horizon profiles."""
