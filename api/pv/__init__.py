"""Annual and monthly production of photovoltaic plants, from the typical year."""
