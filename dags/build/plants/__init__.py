"""Workflows of what lives in the API's database: they call the `solflis` command, for DAGs may not import the API."""
