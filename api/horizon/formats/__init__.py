"""Files that a profile is written as: a module for each."""
