"""Files of results, by signed links."""
