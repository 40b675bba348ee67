"""Where modules fit on a roof: rules, zones that stay free, rows on pitched planes and racks on flat ones."""
