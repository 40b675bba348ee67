"""How the service is: what it serves of each product, and how old that is."""
