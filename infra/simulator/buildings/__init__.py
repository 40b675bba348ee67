"""The simulated buildings: one record each, from which heights, outlines, register, pictures and the vision model come."""
