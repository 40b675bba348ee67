"""From the cells of a production export to hours of energy: what each column means, decided by headings and the sun."""
