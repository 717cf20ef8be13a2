"""Loki: the log store that firstfault reads; others follow docs/new-source.md."""
