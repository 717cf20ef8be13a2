"""Tables of what faults look like and what others say about them: data files, each row with its source."""
