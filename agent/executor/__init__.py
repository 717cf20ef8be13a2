"""Carries out what was allowed: plans as data, one step at a time, every step noted before and after. No model, no graph."""
