"""Products of the borders: land, municipalities."""
