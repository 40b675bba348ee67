"""Plants: uploads of measured production, and calibration."""
