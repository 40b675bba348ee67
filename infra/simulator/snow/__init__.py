"""The snow authority as simulated: daily snow and temperature of 1 km cells since 1957."""
