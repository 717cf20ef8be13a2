"""Finds the lines that any of many patterns may match, in one pass over bytes of any size."""
