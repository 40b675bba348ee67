"""NIBIO's maps of land resources: AR50 and AR5."""
