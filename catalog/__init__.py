"""What data there is: upstream sources, and our published versions."""
