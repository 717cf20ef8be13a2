"""Turns documents into structure. Pure: no file, network or clock; bad input gives problems, never exceptions."""

from firstfault.tools.readers.dispatch import read

__all__ = ["read"]
