"""Ground snow load: the characteristic load of a site."""
