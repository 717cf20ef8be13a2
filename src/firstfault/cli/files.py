"""Files that users asked for, written whole or not at all."""

import os
import tempfile
from pathlib import Path

import click


def write_whole(target: Path, text: str) -> None:
    """Replace `target` with `text` in one step; what was there before stays when anything goes wrong.

    Raises click.ClickException with one line that names the remedy.
    """
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            encoding="utf-8",
            errors="backslashreplace",
            dir=target.parent,
            prefix=f".{target.name}.",
            delete=False,
        ) as stream:
            temporary = Path(stream.name)
            try:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
                temporary.replace(target)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
    except OSError as error:
        msg = f"`{target}` could not be written ({error.strerror}): give another path or free the disk"
        raise click.ClickException(msg) from error
