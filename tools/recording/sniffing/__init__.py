"""Recognises what a file is from its content and its path, each time with a stated reason."""

from firstfault.tools.recording.sniffing.verdict import Sniff, sniff

__all__ = ["Sniff", "sniff"]
