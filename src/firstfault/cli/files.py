"""Files that users asked for, written whole or not at all."""

import os
import tempfile
from pathlib import Path

import click


def write_whole(target: Path, content: str | bytes) -> None:
    """Replace `target` with `text` in one step; what was there before stays when anything goes wrong.

    Raises click.ClickException with one line that names the remedy.
    """
    try:
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as stream:
            temporary = Path(stream.name)
            try:
                stream.write(_bytes(content))
                stream.flush()
                os.fsync(stream.fileno())
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except OSError as error:
        msg = f"`{target}` could not be written ({error.strerror}): give another path or free the disk"
        raise click.ClickException(msg) from error


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
