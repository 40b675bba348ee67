"""The registers of addresses and place names, invented around real towns."""
