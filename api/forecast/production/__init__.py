"""PV production on top of a forecast: planes, weather, power, rows."""
