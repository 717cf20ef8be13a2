"""Where a model may look further: it chooses typed reads and points at lines; code reads, checks and counts."""
