"""Snow on modules: how much of them it covers, day by day, and what that takes."""
