"""Reports about single links, as facts about ports."""

from firstfault.tools.kinds import Kind
from tests.tools.readers.facts import facts_of

MLXLINK = """# mlxlink -d mlx5_6 -c -e
Operational Info
----------------
State                              : Active
Physical state                     : LinkUp
Troubleshooting Info
--------------------
Recommendation                     : No issue was observed
Physical Counters and BER Info
------------------------------
Effective Physical Errors          : 83112
Effective Physical BER             : 5E-9
Link Down Counter                  : 4
"""
RDMA = "link mlx5_0/1 rx_write_requests 33 out_of_sequence 88 packet_seq_err 0\n"
SYSFS = "/sys/class/infiniband/mlx5_1/ports/1/counters/symbol_error:12\nmlx5_1/ports/1/hw_counters/out_of_sequence:7\n"
OLD = "-E- Port=12 lid=0x0041 sw-leaf-03: link_downed=41 (threshold=0)\n"
NEW = "-W- lid=0x0007 dev=54000 sw-leaf-04/U1/P31 Performance Monitor counter : port_rcv_errors = 9\n"
GREPPED = "     rx_discards_phy: 18\n     rx_prio3_pause: 0\n"


def test_mlxlink() -> None:
    facts = {each.name: each for each in facts_of(MLXLINK, Kind.HOST_TOOL)}
    assert facts["mlxlink.effective_physical_ber"].value == 5e-9
    assert facts["mlxlink.link_down_counter"].value == 4
    entity = facts["mlxlink.state"].entity
    assert entity is not None
    assert entity.name == "mlx5_6"


def test_counters_of_the_rdma_tool_and_of_sysfs() -> None:
    facts = {(each.name, each.value) for each in facts_of(RDMA + SYSFS, Kind.HOST_TOOL)}
    assert ("rdma.counter.out_of_sequence", 88) in facts
    assert ("ib.counter.symbol_error_counter", 12) in facts
    assert ("ib.counter.out_of_sequence", 7) in facts


def test_ibdiagnet_of_two_generations() -> None:
    found = {
        (each.entity.name, each.name, each.value)
        for each in facts_of(OLD + NEW, Kind.HOST_TOOL)
        if each.entity
    }
    assert ("sw-leaf-03/12", "ib.counter.link_downed_counter", 41) in found
    assert any(name == "ib.counter.port_rcv_errors" and value == 9 for _, name, value in found)


def test_counters_that_were_picked_out_of_a_list() -> None:
    found = {each.name: each.value for each in facts_of(GREPPED, Kind.HOST_TOOL)}
    assert found["eth.counter.rx_discards_phy"] == 18
