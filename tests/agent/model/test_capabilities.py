from firstfault.agent.model.capabilities import probe
from firstfault.evals.sim.model_server import ModelServer
from tests.rehearsals import client


def test_a_server_that_does_everything_is_usable() -> None:
    with ModelServer("good") as server:
        model = client(server)
        found = probe(model, lambda: model.dialect.structured.value)
    assert found.usable
    answers = {finding.what: finding for finding in found.findings}
    assert answers["structured output"].answer == "json_schema"
    assert answers["context"].passed
    assert set(answers) == {"reached", "structured output", "tools", "context", "speed", "usage", "cost"}


def test_a_simpler_server_is_told_apart_and_still_usable() -> None:
    with ModelServer("good", refuses_parameters=("json_schema", "json_object")) as server:
        model = client(server)
        found = probe(model, lambda: model.dialect.structured.value)
    assert found.usable
    assert any(finding.answer.startswith("text: set") for finding in found.findings)


def test_a_server_that_is_down_is_one_finding() -> None:
    with ModelServer("server_error") as server:
        model = client(server)
        found = probe(model, lambda: model.dialect.structured.value)
    assert not found.usable
    assert [finding.what for finding in found.findings] == ["reached"]
