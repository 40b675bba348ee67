"""Search for addresses and place names."""
