"""Land cover of the simulated land, by the protocols of AR50, AR5 and CORINE."""
