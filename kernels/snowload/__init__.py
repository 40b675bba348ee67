"""The snow load of the ground: maxima of seasons, what is exceeded once in so many years, the table's rule."""
