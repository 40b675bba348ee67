"""Land cover, and buildings on it."""
