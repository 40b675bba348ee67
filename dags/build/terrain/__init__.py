"""The terrain pyramid."""
