"""A secret that the database does not know, and the signatures made with it.

Whoever can write the database can rewrite rows and digests, but cannot sign them. The key is a 0600 file in the state
folder, made on first use; in a cluster a setting names a mounted secret that all processes share.
"""

import hashlib
import hmac
import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

from firstfault.agent.store.canon import canonical
from firstfault.agent.store.errors import KeyFileError

KEY_BYTES = 32
"""Length of a new key. Source: RFC 2104 section 3, no shorter than the hash output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """An HMAC-SHA256 key. id: what names it in rows without telling it."""

    secret: bytes = field(repr=False)

    @property
    def id(self) -> str:
        """Return a short public name of the key."""
        return hashlib.sha256(b"firstfault key id\x00" + self.secret).hexdigest()[:12]

    def sign(self, purpose: str, content: object) -> str:
        """Return the hex signature of `content`; a signature made for one purpose is worth nothing for another."""
        material = canonical([purpose, content]).encode("ascii")
        return hmac.new(self.secret, material, hashlib.sha256).hexdigest()

    def verifies(self, purpose: str, content: object, signature: str) -> bool:
        """Return whether `signature` was made with this key for this purpose and content."""
        return hmac.compare_digest(
            self.sign(purpose, content).encode("ascii"), signature.encode("utf-8", "replace")
        )


def load_key(file: Path) -> SigningKey:
    """Return the key in `file`.

    Raises KeyFileError when it cannot be read, is too short, or may be written by others.
    """
    try:
        mode = file.stat().st_mode
        secret = file.read_bytes().strip()
    except OSError as error:
        msg = f"cannot read the signing key `{file}`: {error.strerror}"
        raise KeyFileError(msg) from error
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        msg = f"others may write the signing key `{file}`: run `chmod 600 {file}`"
        raise KeyFileError(msg)
    if len(secret) < KEY_BYTES:
        msg = f"the signing key `{file}` is shorter than {KEY_BYTES} bytes: restore it, or name another file"
        raise KeyFileError(msg)
    return SigningKey(secret=secret)


def load_or_create_key(file: Path) -> SigningKey:
    """Return the key in `file`, made with mode 0600 when there is none.

    The file appears whole or not at all, and processes that start together agree on one key.
    """
    if not file.exists():
        _create(file)
    if file.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        msg = f"others may read the signing key `{file}`: run `chmod 600 {file}`"
        raise KeyFileError(msg)
    return load_key(file)


def _create(file: Path) -> None:
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(secrets.token_hex(KEY_BYTES).encode("ascii") + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        _publish(draft, file)
    except OSError as error:
        msg = f"cannot make the signing key `{file}`: {error.strerror}"
        raise KeyFileError(msg) from error


def _publish(draft: Path, file: Path) -> None:
    """Put the finished draft in place, unless another process was first."""
    try:
        os.link(draft, file)
    except FileExistsError:
        return
    finally:
        draft.unlink()
