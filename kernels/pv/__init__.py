"""What solar panels produce in a typical year: from a cell's hours to months of planes."""
