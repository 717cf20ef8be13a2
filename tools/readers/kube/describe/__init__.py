"""Reads `kubectl describe`: text for people, put back into the shape of the API with the line of every field."""

from firstfault.tools.readers.kube.describe.reading import describe_reading

__all__ = ["describe_reading"]
