"""Snow on modules: monthly loss in a typical year, and the next ten days."""
