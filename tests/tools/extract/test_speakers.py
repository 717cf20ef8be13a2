import pytest

from firstfault.tools.extract.speakers import host_of, speaker


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ("Jul  1 10:11:12 gpu-7 kernel: NVRM: x", "gpu-7"),
        ("<6>Jul 11 10:11:12 gpu-7.example kernel: x", "gpu-7.example"),
        ("Jul 20 16:15:36 edge-node-01:  Polling for a device", "edge-node-01"),
        ("2026-07-01T10:11:12.123456+02:00 gpu-7 systemd[1]: Started", "gpu-7"),
        ("10.0.0.9: kern: warning: [2026-07-01T10:11:12Z]: NVRM", "10.0.0.9"),
        ("gpu-7: [ 12.5] NVRM: x", "gpu-7"),
        ('{"_HOSTNAME" : "gpu-7", "MESSAGE" : "x"}', "gpu-7"),
        ("2026-07-01T10:11:12.123456Z stdout F hello there: x", None),
        ("[ 12.5] NVRM: x", None),
        ("error: [ 12.5] x", "error"),
        ("", None),
    ],
)
def test_the_host_that_a_prefix_names(line: str, host: str | None) -> None:
    assert host_of(line) == host


@pytest.mark.parametrize(
    ("line", "rank", "host", "gpu"),
    [
        ("[rank7]:[E218 10:48:25.0 ProcessGroupNCCL.cpp:632] [Rank 7] Watchdog", "7", None, None),
        ("[default3]:Traceback", "3", None, None),
        ("[PG ID 0 PG GUID 0(default_pg) Rank 12] failure", "12", None, None),
        ("12: torch.OutOfMemoryError", "12", None, None),
        ("gpu-1:99:121 [3] NCCL WARN x", None, "gpu-1", "3"),
        ("[2026-04-22 21:34:20] gpu-1:99:121 [0] misc/x.cc:88 NCCL WARN x", None, "gpu-1", "0"),
        ("(RayWorker pid=812, ip=10.0.0.7) ValueError", None, "10.0.0.7", None),
        ("10:48:25 hello", None, None, None),
        ("rank: 6 of 8", "6", None, None),
    ],
)
def test_the_worker_that_speaks(line: str, rank: str | None, host: str | None, gpu: str | None) -> None:
    who = speaker(line)
    assert (who.rank, who.host, who.gpu) == (rank, host, gpu)
