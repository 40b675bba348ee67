"""The hourly archive, station bias and typical years."""
