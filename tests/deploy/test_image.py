"""The image is made from what is in the repository, runs as the user of the manifest, and carries its name."""

import json
import tomllib
from typing import Any, cast

import yaml

from tests.deploy.test_manifests import DEPLOY

ROOT = DEPLOY.parent
TEXT = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
STEPS = [line.partition(" ") for line in TEXT.splitlines() if line[:1].isupper()]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def arguments(word: str) -> list[str]:
    return [rest for name, _, rest in STEPS if name == word]


def deployment() -> dict[str, Any]:
    objects = yaml.safe_load_all((DEPLOY / "serve.yaml").read_text(encoding="utf-8"))
    found = next(each for each in objects if each["kind"] == "Deployment")
    return cast("dict[str, Any]", found["spec"]["template"]["spec"])


def test_what_is_copied_is_there() -> None:
    sources = [
        name for rest in arguments("COPY") if not rest.startswith("--from") for name in rest.split()[:-1]
    ]
    assert "requirements.lock" in sources
    assert [name for name in sources if not (ROOT / name).exists()] == []


def test_every_top_folder_of_the_package_is_copied() -> None:
    linked = {each.resolve().name for each in (ROOT / "src" / "firstfault").iterdir() if each.is_symlink()}
    assert linked <= {rest.split()[0] for rest in arguments("COPY")}


def test_it_runs_as_the_user_of_the_manifest() -> None:
    (user,) = arguments("USER")
    assert user.partition(":")[0] == str(deployment()["securityContext"]["runAsUser"])


def test_it_keeps_its_state_where_the_manifest_mounts_the_volume() -> None:
    (container,) = deployment()["containers"]
    home = next(each["value"] for each in container["env"] if each["name"] == "XDG_STATE_HOME")
    assert home in {mount["mountPath"] for mount in container["volumeMounts"]}
    assert f"XDG_STATE_HOME={home}" in arguments("ENV")
    assert any(home in step and "--owner 10001" in step for step in arguments("RUN"))


def test_its_name_is_that_of_the_manifest_and_of_this_version() -> None:
    (container,) = deployment()["containers"]
    assert container["image"] == f"{PROJECT['name']}:{PROJECT['version']}"
    assert f"-t {container['image']} " in TEXT


def test_it_starts_the_command() -> None:
    (entry,) = arguments("ENTRYPOINT")
    assert json.loads(entry) == [name for name in PROJECT["scripts"] if name == "firstfault"]


def test_nothing_is_installed_without_its_hash() -> None:
    installed = [line for line in TEXT.splitlines() if "pip install" in line]
    assert len(installed) == 2
    assert all("--require-hashes" in line or "--no-deps ." in line for line in installed)
