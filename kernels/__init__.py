"""The physics and the statistics: arrays in, arrays out, no I/O and no clock."""
