"""Snow on the modules of a forecast: factors on production, by municipality."""
