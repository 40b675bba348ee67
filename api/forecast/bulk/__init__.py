"""Many plants in one call."""
