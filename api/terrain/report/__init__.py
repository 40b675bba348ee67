"""The report of terrain category: PDF and HTML of the same contents."""
