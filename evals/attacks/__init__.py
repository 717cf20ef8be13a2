"""Hostile inputs and hostile models against every case, with counts."""
