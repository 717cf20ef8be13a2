"""The signing key is secret, made once, and worth something only for its purpose."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from firstfault.agent.store import KeyFileError
from firstfault.agent.store.signing import SigningKey, load_key, load_or_create_key


def test_a_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    file = tmp_path / "state" / "signing.key"
    key = load_or_create_key(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    assert load_or_create_key(file) == key == load_key(file)
    assert [each.name for each in file.parent.iterdir()] == ["signing.key"]


def test_all_who_start_together_get_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(load_or_create_key, [tmp_path / "signing.key"] * 32))
    assert len({key.id for key in keys}) == 1


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_key_that_others_may_write_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "signing.key"
    load_or_create_key(file)
    file.chmod(mode)
    with pytest.raises(KeyFileError, match="chmod 600"):
        load_key(file)


def test_our_own_key_must_not_be_readable_by_others_but_a_mounted_one_may(tmp_path: Path) -> None:
    file = tmp_path / "signing.key"
    key = load_or_create_key(file)
    file.chmod(0o644)
    assert load_key(file) == key
    with pytest.raises(KeyFileError, match="others may read"):
        load_or_create_key(file)


def test_a_missing_or_short_key_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="nowhere"):
        load_key(tmp_path / "nowhere")
    short = tmp_path / "short"
    short.write_bytes(b"abc\n")
    short.chmod(0o600)
    with pytest.raises(KeyFileError, match="shorter than 32 bytes"):
        load_key(short)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(KeyFileError, match="cannot make the signing key"):
        load_or_create_key(tmp_path / "file" / "signing.key")


def test_a_signature_is_bound_to_purpose_content_and_key() -> None:
    key, other = SigningKey(secret=b"a" * 32), SigningKey(secret=b"b" * 32)
    signature = key.sign("approval", {"id": 1})
    assert key.verifies("approval", {"id": 1}, signature)
    assert not key.verifies("audit-head", {"id": 1}, signature)
    assert not key.verifies("approval", {"id": 2}, signature)
    assert not other.verifies("approval", {"id": 1}, signature)
    assert not key.verifies("approval", {"id": 1}, "not hex \ud800")
    assert key.id != other.id


def test_a_key_never_shows_itself() -> None:
    assert "aaaa" not in repr(SigningKey(secret=b"a" * 32))
