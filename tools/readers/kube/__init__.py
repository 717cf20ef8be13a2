"""Reads what Kubernetes prints: objects, tables, descriptions, events and audit lines."""
