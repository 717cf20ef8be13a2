"""Hand-made reports for the renderers: the demo case in full, and hard ones."""

from datetime import UTC, datetime, timedelta
from itertools import cycle, islice

from firstfault.agent.report.contract import EvidencePart, Report, TimelinePart
from tests import reports
from tests.reports import entity, entry, evidence, policy, recommendation

GPU = entity("gpu", "0000:91:00")
SWITCHES = [entity("nvswitch", f"nvidia-nvswitch{number}") for number in range(3)]
START = datetime(2026, 4, 1, 3, 12, 44, 120000, tzinfo=UTC)

_K3 = evidence(
    "raw/kernel.log",
    3,
    "[6781741.548779] NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
)
_K6 = evidence(
    "raw/kernel.log",
    6,
    "[6781753.400584] nvidia-nvswitch1: SXid (PCI:0000:06:00.0): 20034, Fatal, Link 48 LTSSM Fault Up",
)
_K7 = evidence(
    "raw/kernel.log",
    7,
    "[6781753.404587] nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 63 LTSSM Fault Up",
)
_K10 = evidence(
    "raw/kernel.log",
    10,
    "[6781753.407899] nvidia-nvswitch2: SXid (PCI:0000:07:00.0): 20034, Fatal, Link 37 LTSSM Fault Up",
)
_SMI = evidence(
    "raw/nvidia-smi.txt", 1, "Unable to determine the device handle for GPU0000:91:00.0: Unknown Error"
)
_RUN = evidence(
    "raw/runtime.log",
    1,
    'level=error msg="StartContainer for \\"76866e1c\\" failed" error="failed to create containerd task: failed to create '
    "shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container "
    'init: error running hook #0: exit status 1, stderr: nvidia-container-cli.real: detection error: nvml error: unknown"',
)
_ECHO = "the switch reports link faults because the GPU at the other end vanished first"


def _switch_fault(number: int, cited: EvidencePart, uptime_s: float) -> TimelinePart:
    return entry(
        "sxid.20034",
        SWITCHES[number],
        cited,
        role="echo",
        because=_ECHO,
        uptime_s=uptime_s,
        raw_time=f"[{uptime_s:.6f}]",
    )


def gpu_079() -> Report:
    """Return the report of the demo case as a good pipeline would make it."""
    node = entity("node", "the node this was read from")
    missing = ("mode.shadow", "facts.missing.pdbs_without_room", "facts.missing.checkpoint_age_s")
    unknown = ("shadow mode", "unknown: disruption budgets", "unknown: checkpoint age")
    return reports.report(
        diagnosis=reports.diagnosis(
            mechanism="xid79_then_switch_side_echo",
            summary="One GPU fell off the PCIe bus; the switch faults are its echo.",
            evidence=[_K3.id, _SMI.id],
        ),
        first_fault=reports.first_fault(evidence=[_K3.id]),
        timeline=[
            entry(
                "xid.79",
                GPU,
                _K3,
                role="cause",
                because="the driver reports that 0000:91:00 has fallen off the bus",
                uptime_s=6781741.548779,
                raw_time="[6781741.548779]",
            ),
            _switch_fault(1, _K6, 6781753.400584),
            _switch_fault(0, _K7, 6781753.404587),
            _switch_fault(2, _K10, 6781753.407899),
            entry("smi.device_lost", GPU, _SMI, because="NVML cannot open 0000:91:00 any more"),
            entry(
                "oci.hook_failed",
                entity("container", "76866e1c"),
                _RUN,
                because="the container hook fails because NVML cannot open the device",
            ),
        ],
        hypotheses=[
            {
                "failure_class": "gpu.fell_off_bus",
                "mechanism": "xid79_then_switch_side_echo",
                "verdict": "supported",
                "because": "the driver reports that 0000:91:00 has fallen off the bus",
                "supporting": [_K3.id, _SMI.id],
                "contradicting": [],
                "missing": [],
                "rank_key": [
                    "explains the first fault: yes",
                    "contradictions: 0",
                    "sources: 2",
                    "explained: 6 of 6",
                ],
            },
            {
                "failure_class": "nvlink.switch_fault",
                "mechanism": None,
                "verdict": "ruled_out",
                "because": "3 switches within 7 ms, 12 s after one GPU vanished: the GPU is their common peer",
                "supporting": [],
                "contradicting": [_K3.id, _K6.id, _K7.id, _K10.id],
                "missing": [],
                "rank_key": ["explains the first fault: no", "contradictions: 1"],
            },
            {
                "failure_class": "kubernetes.container_runtime",
                "mechanism": None,
                "verdict": "ruled_out",
                "because": "the hook fails because NVML cannot open that one device",
                "supporting": [],
                "contradicting": [_RUN.id, _SMI.id],
                "missing": [],
                "rank_key": ["explains the first fault: no", "contradictions: 1"],
            },
            {
                "failure_class": "host.pcie_link",
                "mechanism": None,
                "verdict": "untested",
                "because": "no PCIe error report was read",
                "supporting": [],
                "contradicting": [],
                "missing": ["syslog: PCIe AER lines before the loss would tell bus or power"],
                "rank_key": ["explains the first fault: unknown"],
            },
        ],
        recommendations=[
            recommendation(
                "cordon_node", node, why="no new work may land on a node with a lost GPU", cited=(_K3.id,)
            ),
            recommendation(
                "drain_node",
                node,
                why="its jobs cannot continue; the GPU comes back only with a reboot",
                gate=policy("DENY", "DENY", missing, unknown),
            ),
            recommendation(
                "node_reboot",
                node,
                why="a lost GPU needs the PCIe link trained again",
                gate=policy(
                    "DENY",
                    "DENY",
                    ("mode.shadow", "workload.not_drained"),
                    ("shadow mode", "not drained yet"),
                ),
            ),
            recommendation(
                "open_vendor_ticket",
                GPU,
                why="if Xid 79 returns after the reboot the board, riser or slot is suspect",
                gate=reports.ADVICE,
            ),
            recommendation(
                "notify_platform_owner",
                GPU,
                why="the cause, if it holds, is theirs to mend",
                gate=reports.ADVICE,
            ),
        ],
        do_not=[
            {
                "action": "gpu_reset",
                "why": "a reset alone does not reach a device off the bus",
                "evidence": [_K3.id],
            },
            {
                "action": "restart_daemon",
                "why": "the runtime fails because the device is gone",
                "evidence": [_RUN.id],
            },
        ],
        gaps=[
            {
                "source": "bmc",
                "entity": None,
                "why": "not collected: BMC event log",
                "would_tell": "whether a bus or power event came before 6781741 s",
            },
            {
                "source": "topology",
                "entity": None,
                "why": "not collected: map of switch ports to GPUs",
                "would_tell": "that the three links end at this GPU, which would prove the echo",
            },
            {
                "source": "kernel_log",
                "entity": None,
                "why": "no line ties the uptime to a wall clock",
                "would_tell": "when it happened",
            },
        ],
        evidence=[_K3, _K6, _K7, _K10, _SMI, _RUN],
    )


def undecided() -> Report:
    """Return an inconclusive report: no first fault, nothing on the timeline, only gaps and advice."""
    return reports.report(
        verdict="INCONCLUSIVE",
        diagnosis=reports.diagnosis(
            "unknown",
            owner="unknown",
            culprit=None,
            summary="The evidence does not allow a class of failure.",
        ),
        first_fault=None,
        recommendations=[
            recommendation(
                "collect_more_data",
                entity("cluster", "cluster"),
                why="this would decide: kernel log of the node over the window; previous log of the restarted container",
                gate=reports.ADVICE,
            )
        ],
        gaps=[
            {
                "source": "kernel_log",
                "entity": {"kind": "node", "name": "node-7"},
                "why": "access denied",
                "would_tell": "whether the driver reported an error before the job stopped",
            }
        ],
    )


def healthy() -> Report:
    """Return a report that finds nothing wrong."""
    return reports.report(
        verdict="NO_FAULT",
        diagnosis=reports.diagnosis(
            "none.healthy", culprit=None, summary="Nothing is wrong: the second port was never cabled."
        ),
        first_fault=None,
        recommendations=[
            recommendation(
                "none_wait", entity("cluster", "cluster"), why="nothing to do", gate=reports.ADVICE
            )
        ],
    )


def crowded(nodes: int = 12, entries: int = 500) -> Report:
    """Return a report with many nodes, ranks and signals on one wall clock, a burst at the start and a long tail."""
    first = evidence(
        "raw/dmesg-node-03.log", 17, "mlx5_core 0000:0c:00.0: Port module event: module 0, Cable unplugged"
    )
    rows = [
        entry(
            "mlx5.port_down",
            entity("port", "mlx5_0 on node-03"),
            first,
            role="cause",
            because="the port lost its cable",
            at=START,
            uncertainty_s=0.001,
            raw_time="Apr  1 03:12:44.120",
        )
    ]
    cited = [first]
    kinds = cycle(
        [
            ("nccl.async_error", "symptom", "rank", 0.35),
            ("nccl.watchdog_timeout", "symptom", "rank", 600.0),
            ("kube.pod.not_ready", "symptom", "pod", 605.0),
            ("ib.link_error_recovered", "echo", "port", 0.02),
            ("kernel.perf_interrupt", "context", "node", 30.0),
        ]
    )
    for number, (signal, role, kind, after_s) in enumerate(islice(kinds, entries - 1)):
        node = number % nodes
        at = START + timedelta(seconds=after_s + (number // nodes) * 0.013)
        part = evidence(
            f"raw/node-{node:02d}.log",
            100 + number,
            f"{at.isoformat()} node-{node:02d} {signal} number {number}",
        )
        cited.append(part)
        name = f"{node * 8 + number % 8}" if kind == "rank" else f"{kind}-{node:02d}"
        rows.append(
            entry(
                signal,
                entity(kind, name),
                part,
                role=role,
                because="follows from network.link_down",
                at=at,
                uncertainty_s=0.5 if kind == "pod" else None,
                raw_time=at.isoformat(),
                count=3 if kind == "rank" else 1,
            )
        )
    return reports.report(
        verdict="CONFIRMED",
        incident={
            "id": "train-llm-77b-20260401",
            "question": "A 96-rank training job stopped with NCCL time-outs on every rank. Which node, and is it the network?",
            "opened_at": START + timedelta(minutes=11),
            "window": {"start": START - timedelta(hours=1), "end": START + timedelta(minutes=30)},
            "correlation_id": "corr-2",
        },
        diagnosis=reports.diagnosis(
            "network.link_down",
            mechanism="cable_unplugged",
            culprit={"kind": "port", "name": "mlx5_0 on node-03"},
            caused_by_change={
                "what": "cable swap in rack r3",
                "who": "dc-ops",
                "when": "2026-04-01T03:12Z",
                "why": "CHG-1182",
            },
            summary="The cable of port mlx5_0 on node-03 was unplugged; every rank then waited for the ranks on that node.",
            evidence=[first.id],
        ),
        first_fault={
            **reports.first_fault("raw/dmesg-node-03.log", 17),
            "at": START,
            "clock": "utc",
            "raw_time": "Apr  1 03:12:44.120",
            "uncertainty_s": 0.001,
            "entity": {"kind": "port", "name": "mlx5_0 on node-03"},
            "signal": "mlx5.port_down",
            "evidence": [first.id],
        },
        timeline=sorted(rows, key=lambda row: row.at or START),
        common_causes=[
            {
                "dimension": "switch",
                "value": "leaf-r3-2",
                "affected": 4,
                "total": 4,
                "lift": 3.0,
                "p_value": 0.0101,
                "evidence": [first.id],
            }
        ],
        hypotheses=[
            {
                "failure_class": name,
                "mechanism": None,
                "verdict": verdict,
                "because": f"{name} was tested against every line",
                "supporting": [first.id] if verdict == "supported" else [],
                "contradicting": [cited[9].id] if verdict == "ruled_out" else [],
                "missing": ["counters: port error counters would tell"] if verdict == "untested" else [],
                "rank_key": ["explains the first fault: yes", "contradictions: 0", "sources: 3"],
            }
            for name, verdict in (
                ("network.link_down", "supported"),
                *((f"network.rival_{number}", "ruled_out") for number in range(9)),
                *((f"storage.rival_{number}", "untested") for number in range(14)),
            )
        ],
        recommendations=[
            recommendation(
                "escalate_fabric_team",
                entity("port", "mlx5_0 on node-03"),
                why="plug it",
                gate=reports.ADVICE,
            ),
            recommendation(
                "cordon_node",
                entity("node", "node-03"),
                why="keep new work off",
                gate=policy(
                    "NEEDS_APPROVAL",
                    "NEEDS_APPROVAL",
                    ("approval.required",),
                    ("0 of 1 approvals",),
                    "approve",
                ),
            ),
            recommendation(
                "restart_job_from_checkpoint",
                entity("job", "llm-77b"),
                why="all ranks lost their peer",
                gate=policy(
                    "DENY",
                    "DENY",
                    ("mode.recommend", "history.crash_loop"),
                    ("recommend mode", "restarted 4 times in 24 h, limit 3"),
                    "recommend",
                ),
            ),
        ],
        do_not=[
            {
                "action": "node_replace",
                "why": "the node is fine, only its cable is out",
                "evidence": [first.id],
            }
        ],
        similar_incidents=[
            {
                "id": "inc-2026-0112",
                "shared": ["mlx5.port_down", "nccl.watchdog_timeout"],
                "differences": ["that time both ports of the node"],
                "resolution": "cable reseated by data centre staff",
                "outcome": "resolved in 22 min",
            }
        ],
        evidence=cited,
        claims_dropped=[{"text": "The switch rebooted at 03:10.", "why": "no evidence holds `rebooted`"}],
        model={
            "name": "some-model",
            "calls": 4,
            "prompt_tokens": 21034,
            "completion_tokens": 1804,
            "seconds": 31.2,
            "cost_usd": 0.14,
        },
    )


HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m [bold]markup[/bold] [link=https://evil.example]x[/link] "
    "<script>alert(1)</script><img src=x onerror=alert(1)> \u202ereversed\u202c \u200bzero\ufeff "
    "{{ 7*7 }} {% raw %} &lt; ]]> --> \x00 \r overwritten \ud800 "
    "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301"
)


def hostile() -> Report:
    """Return a report whose every string from outside tries to do something."""
    bad = evidence(f"raw/{HOSTILE}.log", 1, HOSTILE + "\n" + HOSTILE, line_end=2, link="javascript:alert(1)")
    huge = evidence("raw/huge.log", 7, "A" * 300_000)
    long = evidence("raw/lines.log", 1, "\n".join(f"line {number}" for number in range(5000)), line_end=5000)
    thing = entity("pod", HOSTILE)
    return reports.report(
        incident={
            "id": HOSTILE,
            "question": HOSTILE,
            "opened_at": None,
            "window": {"start": None, "end": None},
            "correlation_id": HOSTILE,
        },
        diagnosis=reports.diagnosis(
            HOSTILE, mechanism=HOSTILE, culprit=thing, summary=HOSTILE, evidence=[bad.id]
        ),
        first_fault={
            **reports.first_fault(f"raw/{HOSTILE}.log", 1, evidence=[bad.id]),
            "entity": thing,
            "raw_time": HOSTILE,
            "clock": "position",
            "signal": HOSTILE,
        },
        timeline=[
            entry(HOSTILE, thing, bad, role="cause", because=HOSTILE, raw_time=HOSTILE),
            entry("huge", entity("node", "n" * 500), huge, because=HOSTILE),
            entry("long", entity("node", ""), long, because=""),
        ],
        hypotheses=[
            {
                "failure_class": HOSTILE,
                "mechanism": HOSTILE,
                "verdict": verdict,
                "because": HOSTILE,
                "supporting": [bad.id, "ev-not-there"],
                "contradicting": [huge.id],
                "missing": [HOSTILE],
                "rank_key": [HOSTILE],
            }
            for verdict in ("supported", "ruled_out", "untested")
        ],
        recommendations=[
            recommendation(
                HOSTILE, thing, why=HOSTILE, gate=policy("DENY", "DENY", (HOSTILE,), (HOSTILE,), HOSTILE)
            )
        ],
        do_not=[{"action": HOSTILE, "why": HOSTILE, "evidence": [bad.id]}],
        similar_incidents=[
            {
                "id": HOSTILE,
                "shared": [HOSTILE],
                "differences": [HOSTILE],
                "resolution": HOSTILE,
                "outcome": HOSTILE,
            }
        ],
        gaps=[{"source": HOSTILE, "entity": thing, "why": HOSTILE, "would_tell": HOSTILE}],
        evidence=[bad, huge, long],
        claims_dropped=[{"text": HOSTILE, "why": HOSTILE}],
    )
