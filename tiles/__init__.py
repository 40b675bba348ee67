"""What a tile is: grids, product declarations, writing, validators, fast point reads."""
