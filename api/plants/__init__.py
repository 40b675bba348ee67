"""Registered plants (Mitt anlegg): uploads of measured production, and calibration."""
