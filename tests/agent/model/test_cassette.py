from pathlib import Path

import pytest

from firstfault.agent.model.cassette import CassetteError, RecordingModel, open_cassette
from firstfault.agent.model.port import ModelUnavailable
from firstfault.evals.sim.model_server import ModelServer
from tests.agent.model.requests import request
from tests.rehearsals import client


def test_what_was_recorded_is_played_back_without_a_server(tmp_path: Path) -> None:
    path = tmp_path / "cassette.jsonl"
    with ModelServer("good") as server:
        recorded = RecordingModel(inner=client(server), path=path).complete(request())
    played = open_cassette(path)
    assert played.name == "scripted"
    assert played.complete(request()) == recorded


def test_failures_are_played_back_as_failures(tmp_path: Path) -> None:
    path = tmp_path / "cassette.jsonl"
    with ModelServer("rate_limited") as server, pytest.raises(ModelUnavailable) as first:
        RecordingModel(inner=client(server), path=path).complete(request())
    with pytest.raises(ModelUnavailable) as second:
        open_cassette(path).complete(request())
    assert str(second.value) == str(first.value)
    assert second.value.usage.attempts == first.value.usage.attempts == 3


def test_a_question_that_was_not_recorded_is_not_answered(tmp_path: Path) -> None:
    path = tmp_path / "cassette.jsonl"
    with ModelServer("good") as server:
        RecordingModel(inner=client(server), path=path).complete(request())
    played = open_cassette(path)
    with pytest.raises(ModelUnavailable, match="record it again"):
        played.complete(request("something else"))
    played.complete(request())
    with pytest.raises(ModelUnavailable):
        played.complete(request())


@pytest.mark.parametrize("content", ["", "{}", "not json\n", '{"format": "other", "model": "m"}\n', "\xff"])
def test_what_is_no_cassette_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "cassette.jsonl"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(CassetteError, match="--record-model") as caught:
        open_cassette(path)
    assert "\n" not in str(caught.value)


def test_a_cassette_that_cannot_be_written_is_refused_before_any_question(tmp_path: Path) -> None:
    with ModelServer("good") as server, pytest.raises(CassetteError, match="writable"):
        RecordingModel(inner=client(server), path=tmp_path / "none" / "cassette.jsonl")
    assert not server.dialogue.bodies
