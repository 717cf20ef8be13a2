"""Every written form of a time is read to the instant that people mean by it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from firstfault.tools.context import ReadContext
from firstfault.tools.kinds import Kind
from firstfault.tools.stamps import stamper
from firstfault.tools.stamps.dialects import (
    EXAMPLES,
    HEAD_DIALECTS,
    INNER_DIALECTS,
    MAY_BE_HEAD,
)
from firstfault.tools.times import Clock, Stamp
from tests.documents import document

OPENED = datetime(2026, 7, 20, 12, 0, tzinfo=UTC)
CONTEXT = ReadContext(opened_at=OPENED)


def stamp_of(line: str, context: ReadContext = CONTEXT, kind: Kind = Kind.SYSLOG) -> Stamp:
    return stamper(document(line + "\n", kind), context).stamp(1, line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2026-06-23T03:14:45.912484Z stdout F started", "2026-06-23T03:14:45.912484"),
        ("2026-06-23T03:14:45+02:00 node-1 sshd[1]: hello", "2026-06-23T01:14:45"),
        ("2026-06-23 03:14:45,367 - INFO - ready", "2026-06-23T03:14:45.367"),
        ("2026/06/23 03:14:45 [error] upstream timed out", "2026-06-23T03:14:45"),
        ("[2026-06-23 03:14:45] node-1:77:80 [0] proxy.cc:1 NCCL WARN x", "2026-06-23T03:14:45"),
        ("[2026-06-23 03:14:45,225] [INFO] [engine.py:1:f] x", "2026-06-23T03:14:45.225"),
        ("10.0.0.7: kern: warning: [2026-06-23T03:14:45.288830314Z]: NVRM: x", "2026-06-23T03:14:45.288830"),
        ("[Tue Jun 23 03:14:45 2026] NVRM: Xid (PCI:0000:61:00): 119", "2026-06-23T03:14:45"),
        ("Tue Jun 23 03:14:45 2026       ", "2026-06-23T03:14:45"),
        ("Jun 23 03:14:45 node-1 kernel: nvme nvme4: x", "2026-06-23T03:14:45"),
        ("<30>Jun  3 03:14:45 node-1 systemd[1]: x", "2026-06-03T03:14:45"),
        ("<34>1 2026-06-23T03:14:45.003Z node-1 su - - - x", "2026-06-23T03:14:45.003"),
        ("E0623 03:14:45.912484   22255 kubelet_node_status.go:402] x", "2026-06-23T03:14:45.912484"),
        ("I20260623 03:14:45.912484 22255 file.cc:1] x", "2026-06-23T03:14:45.912484"),
        ("[rank7]:[E623 03:14:45.033625188 ProcessGroupNCCL.cpp:632] x", "2026-06-23T03:14:45.033625"),
        ("[rank7]:[W1123 03:14:45.033625188 socket.cpp:1] x", "2025-11-23T03:14:45.033625"),
        ("node\tI0623 03:14:45.125600      12 cacher.go:752] x", "2026-06-23T03:14:45.125600"),
        ('time="2026-06-23T03:14:45.559Z" level=info msg="x"', "2026-06-23T03:14:45.559"),
        ("level=info ts=2026-06-23T03:14:45Z caller=main.go:1 msg=x", "2026-06-23T03:14:45"),
        ('{"level":"error","ts":"2026-06-23T03:14:45.292Z","msg":"x"}', "2026-06-23T03:14:45.292"),
        ('{"level":"info","ts":1782184485.25,"msg":"x"}', "2026-06-23T03:14:45.25"),
        ('{"log":"x\\n","stream":"stderr","time":"2026-06-23T03:14:45.5Z"}', "2026-06-23T03:14:45.5"),
        ('{"__REALTIME_TIMESTAMP":"1782184485250000","MESSAGE":"x"}', "2026-06-23T03:14:45.25"),
        ('1782184485.250 {"a": 1}', "2026-06-23T03:14:45.25"),
        ('10.0.0.1 - - [23/Jun/2026:03:14:45 +0200] "GET / HTTP/1.1" 200', "2026-06-23T01:14:45"),
        ("INFO 06-23 03:14:45 llm_engine.py:100] x", "2026-06-23T03:14:45"),
        ("[Jun 23 2026 03:14:45] [ERROR] [tid 77] detected NVSwitch non-fatal error", "2026-06-23T03:14:45"),
        ("Date:   Tue Jun 23 03:14:45 2026 +0200", "2026-06-23T01:14:45"),
        ("Tue, 23 Jun 2026 03:14:45 +0200", "2026-06-23T01:14:45"),
        ("2026-06-23 03:14 PST  team: x", "2026-06-23T11:14:00"),
        ("Mon 2026-06-22 03:14:45 UTC node-1 systemd[1]: x", "2026-06-22T03:14:45"),
    ],
)
def test_a_line_is_read_to_the_instant(line: str, expected: str) -> None:
    stamp = stamp_of(line)
    assert stamp.at == datetime.fromisoformat(expected).replace(tzinfo=UTC)
    assert stamp.clock is Clock.UTC
    assert stamp.raw
    assert stamp.raw in line


@pytest.mark.parametrize(
    "line",
    [
        "no time at all",
        "ExpiredCertException: Certificate expired on 2024-08-03 17:00:08",
        "version 2024.08.03-rc1 of the driver",
        "/var/log/2026-06-23/app.log: not found",
        "loss 1.5455, time: 4401.19ms",
        "10.96.0.1:443: connection refused",
        "2026-13-45T99:99:99Z impossible",
        "Feb 30 03:14:45 node-1 kernel: impossible",
        "",
    ],
)
def test_a_time_that_is_not_the_lines_own_is_not_taken(line: str) -> None:
    stamp = stamp_of(line)
    assert stamp.at is None
    assert stamp.clock is Clock.POSITION
    assert stamp.position == 1


def test_the_finer_and_complete_time_inside_a_line_wins_over_its_head() -> None:
    line = 'Mar 08 09:26:41 gpu-1 containerd[3730]: time="2024-03-08T09:26:41.559250077Z" level=info msg="x"'
    stamp = stamp_of(line)
    assert stamp.at == datetime(2024, 3, 8, 9, 26, 41, 559250, tzinfo=UTC)
    assert stamp.assumption is None


@pytest.mark.parametrize(
    ("line", "uncertainty_s"),
    [
        ("2026-06-23T03:14:45Z x", 0.5),
        ("2026-06-23T03:14:45.1Z x", 0.05),
        ("2026-06-23 03:14 x said", 60.0),
        ("2026-06-23 x said", 86_400.0),
        ("[Tue Jun 23 03:14:45 2026] x", 1.0),
    ],
)
def test_the_uncertainty_is_what_the_text_does_not_show(line: str, uncertainty_s: float) -> None:
    assert stamp_of(line).uncertainty_s == pytest.approx(uncertainty_s)


@pytest.mark.parametrize(
    "line",
    [
        "[171167.620236] NVRM: x",
        "<4>[171167.620236] NVRM: x",
        "kern  :err   : [171167.620236] x",
        "3,1,171167620236,-;x",
    ],
)
def test_an_uptime_without_an_anchor_stays_an_uptime(line: str) -> None:
    stamp = stamp_of(line, kind=Kind.KERNEL_LOG)
    assert stamp.clock is Clock.UPTIME
    assert stamp.at is None
    assert stamp.uptime_s == pytest.approx(171167.620236)


def test_a_zone_is_taken_from_the_incident_and_said_so() -> None:
    stamp = stamp_of("2024-09-20 11:21: x unpaused it", ReadContext(zone="Europe/London"), Kind.CHANGE_LOG)
    assert stamp.at == datetime(2024, 9, 20, 10, 21, tzinfo=UTC)
    assert stamp.assumption == "zone from the incident"


def test_containers_run_on_utc_whatever_the_zone_of_the_incident() -> None:
    stamp = stamp_of("2024-09-20 11:21:00 x", ReadContext(zone="Europe/London"), Kind.CONTAINER_LOG)
    assert stamp.at == datetime(2024, 9, 20, 11, 21, tzinfo=UTC)
    assert stamp.assumption == "zone not stated, read as UTC"


@pytest.mark.parametrize("zone", ["Nowhere/City", "../../etc/passwd", "\x00", "x" * 5000, "+99:99", ""])
def test_a_zone_that_does_not_exist_is_not_followed(zone: str) -> None:
    stamp = stamp_of("2024-09-20 11:21:00 x", ReadContext(zone=zone))
    assert stamp.at == datetime(2024, 9, 20, 11, 21, tzinfo=UTC)


@pytest.mark.parametrize(
    ("opened", "line", "year"),
    [
        (datetime(2026, 1, 2, tzinfo=UTC), "Dec 31 23:59:00 n k: x", 2025),
        (datetime(2026, 1, 2, tzinfo=UTC), "Jan  1 00:01:00 n k: x", 2026),
        (datetime(2026, 12, 31, 23, 59, tzinfo=UTC), "Jan  1 00:01:00 n k: x", 2027),
        (datetime(2024, 3, 1, tzinfo=UTC), "Feb 29 00:01:00 n k: x", 2024),
    ],
)
def test_a_missing_year_is_the_one_before_the_incident_was_opened(
    opened: datetime, line: str, year: int
) -> None:
    stamp = stamp_of(line, ReadContext(opened_at=opened))
    assert stamp.at is not None
    assert stamp.at.year == year
    assert stamp.assumption is not None
    assert "year from opened_at" in stamp.assumption


def test_a_complete_time_in_the_same_text_settles_the_year_of_the_others() -> None:
    text = "E0225 08:26:00.486943 1 a.go:1] x\ntime=2021-02-25T08:26:01Z level=info msg=x\n"
    held = document(text, Kind.SYSLOG)
    stamp = stamper(held, ReadContext()).stamp(1, held.lines[0])
    assert stamp.at == datetime(2021, 2, 25, 8, 26, 0, 486943, tzinfo=UTC)


def test_without_any_year_the_order_inside_the_text_is_that_of_the_clock() -> None:
    text = "[rank0]:[E810 03:04:11.562447 a.cpp:1] late\n[rank7]:[E810 03:04:10.850617 a.cpp:1] early\n"
    held = document(text, Kind.APPLICATION_LOG)
    clock = stamper(held, ReadContext())
    late, early = clock.stamp(1, held.lines[0]), clock.stamp(2, held.lines[1])
    assert late.at is None
    assert early.uptime_s is not None
    assert late.uptime_s is not None
    assert late.uptime_s - early.uptime_s == pytest.approx(timedelta(seconds=0.711830).total_seconds())
    assert late.series == early.series


@pytest.mark.parametrize("line", [example for _, example in EXAMPLES])
def test_no_form_of_a_time_is_passed_over_by_the_look_ahead(line: str) -> None:
    heads = [each for each in HEAD_DIALECTS if each.moment(line)]
    assert not heads or MAY_BE_HEAD.search(line)
    for each in INNER_DIALECTS:
        assert replace(each, needs=None).moment(line) == each.moment(line)
