"""What can make a recording unusable as a whole; everything smaller is a gap.

RecordingError
├── PathMissingError      the path does not exist
├── NothingUsableError    the path holds nothing that can be read
├── SeveralCasesError     a folder of cases was given, not one case
├── ManifestBrokenError   case.yaml cannot be read
├── OverrideError         an `--as` does not say what it should
└── ArchiveError          an archive is unsafe, broken or larger than allowed
"""


class RecordingError(Exception):
    """The recording cannot be used; the message is one line and names the remedy."""


class PathMissingError(RecordingError):
    """Raised when the path does not exist."""


class NothingUsableError(RecordingError):
    """Raised when nothing under the path can be read."""


class SeveralCasesError(RecordingError):
    """Raised when the folder holds several cases."""


class ManifestBrokenError(RecordingError):
    """Raised when `case.yaml` is not a manifest."""


class OverrideError(RecordingError):
    """Raised when an override is malformed or names a file that is not part of the recording."""


class ArchiveError(RecordingError):
    """Raised when an archive must not or cannot be unpacked."""
