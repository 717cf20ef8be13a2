"""Alertmanager notifications as data: what fires, since when, and what it is about."""
