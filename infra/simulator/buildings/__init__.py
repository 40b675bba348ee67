"""The simulated buildings: one record each, of which heights, outlines, register and pictures are made."""
