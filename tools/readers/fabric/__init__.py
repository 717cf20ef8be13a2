"""Reads what network and InfiniBand tools print."""
