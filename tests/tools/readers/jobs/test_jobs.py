"""Schedulers, flight recorders and topology."""

import json

from firstfault.tools.kinds import Kind
from tests.tools.readers.facts import about, facts_of, values

SACCT = """JobID           JobName      State ExitCode        NodeList
------------ ---------- ---------- -------- ---------------
4711              train  NODE_FAIL      1:0  gnode-[01-04]
4711.batch        batch  CANCELLED     0:15        gnode-01
"""
SQUEUE = """             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
              4712       gpu    train       ai PD       0:00      4 (Resources)
"""
SCONTROL = """JobId=4711 JobName=train
   UserId=ai(1000) GroupId=ai(1000) MCS_label=N/A
   JobState=NODE_FAIL Reason=NodeDown Dependency=(null)
   Requeue=1 Restarts=3 BatchFlag=1 Reboot=0 ExitCode=1:0
   NodeList=gnode-[01-04]
NodeName=gnode-03 Arch=x86_64 CoresPerSocket=48
   State=DOWN*+DRAIN ThreadsPerCore=2
   Reason=NHC: check_nvsmi failed [root@2026-06-23T03:14:45]
"""
SUMMARY = """Restart Reason: OOMKill (memory exceeded limit, SIGKILL)
Exit Code: 137 (= 128 + 9, i.e., SIGKILL)
Runtime: ~24 hours
"""
TOPOLOGY = "SwitchName=leaf1 Nodes=gnode-[01-03,07],cpu-1\nSwitchName=spine Switches=leaf[1-2]\n"
TABLE = "node,switch,rack\ngnode-01,leaf1,r10\ngnode-02,leaf1,\n"


def test_jobs_of_slurm() -> None:
    facts = facts_of(SACCT, Kind.JOB_STATUS)
    assert about(facts, "job.state") == {"4711": "NODE_FAIL", "4711.batch": "CANCELLED"}
    assert about(facts, "job.exitcode") == {"4711": "1:0", "4711.batch": "0:15"}
    assert about(facts_of(SQUEUE, Kind.JOB_STATUS), "job.nodelist_reason") == {"4712": "(Resources)"}
    details = facts_of(SCONTROL, Kind.JOB_STATUS)
    assert about(details, "job.job_state") == {"4711": "NODE_FAIL"}
    assert about(details, "job.reason") == {"4711": "NodeDown"}
    assert about(details, "job.restarts") == {"4711": "3"}
    assert about(details, "job.node.state") == {"gnode-03": "DOWN*+DRAIN"}


def test_summaries_of_platforms() -> None:
    facts = facts_of(SUMMARY, Kind.JOB_STATUS)
    assert values(facts, "job.restart_reason") == ["OOMKill (memory exceeded limit, SIGKILL)"]
    assert values(facts, "job.exit_code") == ["137 (= 128 + 9, i.e., SIGKILL)"]


def test_flight_recorder_gives_what_did_not_complete() -> None:
    dump = {
        "version": "2.5",
        "rank": 3,
        "pg_status": {
            "0": {
                "last_enqueued_collective": 79,
                "last_started_collective": 78,
                "last_completed_collective": 77,
            }
        },
        "entries": [
            {
                "collective_seq_id": 77,
                "profiling_name": "nccl:all_reduce",
                "state": "completed",
                "input_sizes": [[80]],
            },
            {
                "collective_seq_id": 78,
                "profiling_name": "nccl:broadcast",
                "state": "started",
                "input_sizes": [[80, 2]],
                "process_group": ["0", "default_pg"],
            },
        ],
    }
    facts = facts_of(json.dumps(dump, indent=1), Kind.FLIGHT_RECORDER)
    (entry,) = [fact for fact in facts if fact.name == "flight.entry"]
    assert (entry.value, entry.labels["collective_seq_id"], entry.labels["profiling_name"]) == (
        "started",
        "78",
        "nccl:broadcast",
    )
    assert entry.labels["input_sizes"] == "80x2"
    assert entry.entity is not None
    assert entry.entity.key == "rank/3"
    assert values(facts, "flight.last_completed") == [77]


def test_where_nodes_sit() -> None:
    facts = facts_of(TOPOLOGY, Kind.TOPOLOGY)
    assert about(facts, "topology.switch") == dict.fromkeys(
        ("gnode-01", "gnode-02", "gnode-03", "gnode-07", "cpu-1"), "leaf1"
    )
    table = facts_of(TABLE, Kind.TOPOLOGY)
    assert about(table, "topology.rack") == {"gnode-01": "r10"}


def test_host_lists_cannot_blow_up() -> None:
    facts = facts_of("SwitchName=s Nodes=n[0-99999999999]\nSwitchName=t Nodes=n[0-99999999]\n", Kind.TOPOLOGY)
    assert len(facts) <= 10_100
