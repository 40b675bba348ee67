"""What is learned from stations: correction, skill."""
