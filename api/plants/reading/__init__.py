"""Files of inverter portals: bytes to sheets of cells."""
