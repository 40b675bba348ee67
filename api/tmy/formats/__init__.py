"""One module per value of `format`, each with its declaration as `FORMAT`."""
