"""Folders in which tools keep things, and the texts of programs, beside logs: left, named, and read when asked for."""

from pathlib import Path

import pytest

from firstfault.tools.recording import open_recording
from firstfault.tools.recording.errors import NothingUsableError
from firstfault.tools.recording.limits import Limits
from firstfault.tools.recording.overrides import parse_override

KERNEL = "[6781741.548768] NVRM: GPU at PCI:0000:91:00\n[6781741.548779] NVRM: Xid (PCI:0000:91:00): 79\n"
TAG = "Signature: 8a477f597d28d172789f06886806bc55\n"
NOTE = "the node crashed after the disk was full"
MADE_BY_TOOLS: dict[str, dict[str, str]] = {
    ".venv": {"pyvenv.cfg": "home = /usr/bin\n", "lib/x/errors.txt": NOTE},
    ".git": {"HEAD": "ref: refs/heads/main\n", "objects/aa": NOTE, "refs/heads/main": "0\n"},
    "backup.git": {"HEAD": "ref: refs/heads/main\n", "objects/aa": NOTE, "refs/heads/main": "0\n"},
    "target": {"CACHEDIR.TAG": TAG, "debug/build.log": NOTE},
    "node_modules": {"left-pad/package.json": "{}\n", "left-pad/errors.txt": NOTE},
    "web/node_modules": {"@scope/pad/package.json": "{}\n", "@scope/pad/errors.txt": NOTE},
    "opt/site-packages": {"torch-2.5.dist-info/METADATA": NOTE, "torch/errors.txt": NOTE},
    "job/__pycache__": {"train.cpython-311.pyc": NOTE},
    "op/vendor": {"modules.txt": "# k8s.io/api v0.31.0\n", "k8s.io/api/README.md": NOTE},
}


def laid(folder: Path, held: dict[str, str]) -> Path:
    for path, text in held.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def paths(folder: Path) -> list[str]:
    return [document.path for document in open_recording(folder).documents]


def whys(folder: Path) -> list[str]:
    return [gap.why for gap in open_recording(folder).problems]


@pytest.mark.parametrize("made", MADE_BY_TOOLS)
def test_a_folder_that_a_tool_made_is_left_and_named_and_read_when_it_is_given(
    made: str, tmp_path: Path
) -> None:
    laid(tmp_path, {"kern.log": KERNEL})
    laid(tmp_path / made, MADE_BY_TOOLS[made])
    assert paths(tmp_path) == ["kern.log"]
    (why,) = [why for why in whys(tmp_path) if made in why]
    assert why.startswith(f"kept by tools and not read: `{made}` (")
    assert why.endswith("; give such a folder itself to have it read")
    assert set(paths(tmp_path / made)) == set(MADE_BY_TOOLS[made])


@pytest.mark.parametrize(
    "held",
    [
        {"node_modules/host-3.log": KERNEL},
        {"target/kern.log": KERNEL},
        {"target/CACHEDIR.TAG": "notes on caches\n", "target/kern.log": KERNEL},
        {".git/kern.log": KERNEL},
        {"vendor/modules.txt": KERNEL},
        {"node-1/HEAD": KERNEL},
    ],
)
def test_the_name_alone_makes_no_folder_a_tools(held: dict[str, str], tmp_path: Path) -> None:
    assert set(paths(laid(tmp_path, held))) == set(held)


def test_many_such_folders_are_one_gap(tmp_path: Path) -> None:
    laid(tmp_path, {"kern.log": KERNEL, **{f"a{n}/__pycache__/m.pyc": NOTE for n in range(9)}})
    (why,) = [why for why in whys(tmp_path) if "kept by tools" in why]
    assert "`a4/__pycache__` (compiled Python) and 4 more;" in why


def test_the_texts_of_a_project_are_left_and_its_logs_are_read(tmp_path: Path) -> None:
    laid(
        tmp_path,
        {
            "run/pyproject.toml": "[project]\n",
            "run/README.md": NOTE,
            "run/src/train.py": "raise RuntimeError('CUDA error: out of memory')\n",
            "run/logs/kern.log": KERNEL,
            "scripts/probe.py": "print('not of any project')\n",
        },
    )
    assert paths(tmp_path) == ["run/logs/kern.log", "run/pyproject.toml", "scripts/probe.py"]
    (why,) = [why for why in whys(tmp_path) if "programs" in why]
    assert why.startswith("the text of programs, not read: `run/README.md`, `run/src/train.py`; ")
    assert paths(tmp_path / "run/src") == ["train.py"]


def test_a_text_that_is_named_is_read(tmp_path: Path) -> None:
    laid(tmp_path, {"go.mod": "module x\n", "main.go": NOTE, "kern.log": KERNEL})
    recording = open_recording(tmp_path, overrides=(parse_override("operator_notes", "main.go"),))
    assert "main.go" in [document.path for document in recording.documents]


def test_a_folder_of_nothing_else_says_what_it_held(tmp_path: Path) -> None:
    laid(tmp_path / ".venv", MADE_BY_TOOLS[".venv"])
    with pytest.raises(NothingUsableError, match=r"kept by tools and not read: `\.venv`"):
        open_recording(tmp_path)


def test_files_of_tools_do_not_count_for_the_most_that_is_read(tmp_path: Path) -> None:
    laid(tmp_path, {"z/kern.log": KERNEL, **{f"node_modules/p{n}/package.json": "{}" for n in range(30)}})
    found = open_recording(tmp_path, limits=Limits(max_files=5))
    assert [document.path for document in found.documents] == ["z/kern.log"]


def test_links_that_lead_to_themselves_or_up_again_are_no_trap(tmp_path: Path) -> None:
    root = laid(tmp_path / "in", {"a/kern.log": KERNEL})
    laid(tmp_path / "out", {"secret.log": KERNEL})
    (root / "a/up").symlink_to(root, target_is_directory=True)
    (root / "a/self.log").symlink_to("self.log")
    (root / "ping").symlink_to("pong")
    (root / "pong").symlink_to("ping")
    (root / "elsewhere").symlink_to(tmp_path / "out", target_is_directory=True)
    assert paths(root) == ["a/kern.log"]
    said = whys(root)
    assert any("`a/self.log`" in why for why in said)
    assert any("`ping`" in why for why in said)
    assert "`elsewhere` is a link out of the recording and was not followed" in said


def test_a_tree_that_is_deeper_than_python_calls_is_read_to_its_end(tmp_path: Path) -> None:
    laid(tmp_path, {"kern.log": KERNEL})
    folders = [f"{tmp_path}/" + "/".join(["d"] * depth) for depth in range(1, 1_201)]
    for folder in folders:
        Path(folder).mkdir()
    deepest = Path(folders[-1], "kern.log")
    deepest.write_text(KERNEL, encoding="utf-8")
    try:
        assert paths(tmp_path) == [deepest.relative_to(tmp_path).as_posix(), "kern.log"]
    finally:  # what clears temporary folders calls itself for each
        deepest.unlink()
        for folder in reversed(folders):
            Path(folder).rmdir()
