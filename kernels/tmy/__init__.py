"""A typical year out of many: choosing its months, joining them, weighing two archives, correcting, splitting."""
