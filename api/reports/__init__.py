"""Parts of reports that several groups use: typesetting, drawings, text."""
