"""Why a class is, or is not, the diagnosis: the evidence table that an on-call can argue with."""
