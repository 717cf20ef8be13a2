"""Documents in, signals out. Pure: no clock, no network, no model."""

from firstfault.tools.extract.composition import extract

__all__ = ["extract"]
