"""Each import contract of pyproject.toml catches what it forbids."""

import tomllib

import pytest

from tests.contracts.planting import BREACHES, ROOT, UNDECLARED, Verdict, lint_a_broken_copy

CONTRACTS: list[dict[str, str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"][
    "importlinter"
]["contracts"]
NAMES = {contract["id"]: contract["name"] for contract in CONTRACTS}


@pytest.fixture(scope="module", name="verdict")
def verdict_fixture(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    return lint_a_broken_copy(tmp_path_factory.mktemp("tree"), NAMES)


def test_every_contract_has_a_planted_breach() -> None:
    assert set(BREACHES) == set(NAMES)


def test_a_broken_tree_fails(verdict: Verdict) -> None:
    assert verdict.exit_code == 1, verdict.text


@pytest.mark.parametrize("contract", sorted(NAMES))
def test_a_planted_breach_is_caught(contract: str, verdict: Verdict) -> None:
    said = verdict.sections.get(NAMES[contract], "")
    missed = [breach for breach in BREACHES[contract] if not _is_told(breach, said)]
    assert not missed, said or verdict.text


def test_a_package_outside_the_layers_is_caught(verdict: Verdict) -> None:
    assert UNDECLARED.rpartition(".")[2] in verdict.sections[NAMES["layers"]]


def _is_told(breach: tuple[str, str], said: str) -> bool:
    """Whether the importer and the imported stand on one line, by full or by sibling's short name."""
    importer, imported = breach
    short = (importer.removeprefix("firstfault.agent"), imported.removeprefix("firstfault.agent"))
    return any(
        (importer in line and imported in line) or (short[0] in line and short[1] in line)
        for line in said.splitlines()
    )
