"""Recorded incidents as a source like any other: case folders, plain folders, archives, single files."""

from firstfault.tools.recording.errors import RecordingError
from firstfault.tools.recording.manifest import Manifest
from firstfault.tools.recording.opening import open_recording
from firstfault.tools.recording.source import Recording

__all__ = ["Manifest", "Recording", "RecordingError", "open_recording"]
