"""Level 2: the horizon of a roof, from the surface model around it and the terrain's horizon beyond."""
