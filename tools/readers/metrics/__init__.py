"""Reads what metrics systems answer."""
