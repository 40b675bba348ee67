"""Files as portals, loggers and grid companies give them, each written by hand from a made series with known hours."""
