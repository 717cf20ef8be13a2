"""What network tools print, as facts about adapters, ports and links."""

from firstfault.tools.kinds import Kind
from tests.tools.readers.facts import about, facts_of, values

IBSTAT = """CA 'mlx5_0'
\tCA type: MT4129
\tNumber of ports: 1
\tFirmware version: 28.39.1002
\tNode GUID: 0x0200000300000002
\tPort 1:
\t\tState: Down
\t\tPhysical state: Polling
\t\tRate: 40
\t\tBase lid: 65535
\t\tLink layer: InfiniBand
CA 'mlx5_1'
\tCA type: MT4129
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: 400
"""
IBSTATUS = """Infiniband device 'mlx5_0' port 1 status:
\tdefault gid:\t fe80:0000:0000:0000:0200:00ff:fe00:0001
\tbase lid:\t 0x12
\tstate:\t\t 4: ACTIVE
\tphys state:\t 5: LinkUp
\trate:\t\t 400 Gb/sec (4X NDR)
\tlink_layer:\t InfiniBand
"""
DEVINFO = """hca_id:\tmlx5_bond_0
\ttransport:\t\t\tInfiniBand (0)
\tfw_ver:\t\t\t\t16.28.2006
\t\tport:\t1
\t\t\tstate:\t\t\tPORT_ACTIVE (4)
\t\t\tmax_mtu:\t\t4096 (5)
\t\t\tactive_mtu:\t\t1024 (3)
\t\t\tGID[  3]:\t\t::ffff:10.0.1.6, RoCE v2
"""
RDMA = """link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0
0/2: mlx5_2/1: state DOWN physical_state POLLING netdev ibp1
"""
SHOW_GIDS = "mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:0a00:0106\t10.0.1.6\tv2\teth0\n"
LINKINFO = """CA: gnode-01 mlx5_0:
      0xb83fd20300d1a2c4     31    1[  ] ==( 4X          53.125 Gbps Active/  LinkUp)==>      12    5[  ] "leaf-1" ( )
Switch: 0xb83fd20300000001 leaf-1:
          12    6[  ] ==(                Down/ Polling)==>             [  ] "" ( )
          12    7[  ] ==( 2X          53.125 Gbps Active/  LinkUp)==>      33    1[  ] "gnode-03 mlx5_0" ( Could be 4X)
"""
PERFQUERY = """# Port counters: Lid 31 port 1 (CapMask: 0x5A00)
PortSelect:......................1
SymbolErrorCounter:..............12
LinkDownedCounter:...............3
PortXmitWait:....................918273
"""
ETHTOOL = """Settings for eth0:
\tSpeed: 25000Mb/s
\tDuplex: Full
\tLink detected: no
"""
STATS = """NIC statistics:
     rx_packets: 12
     rx_discards_phy: 918
     out_of_sequence: 5057
"""
IP = """2: eth0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc mq state DOWN mode DEFAULT group default qlen 1000
    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    12345   100      7     9       0       0
    TX:  bytes packets errors dropped carrier collsns
     6789    80      0       0       0       0
"""


def test_ports_of_ibstat() -> None:
    facts = facts_of(IBSTAT, Kind.IBSTAT, node="gpu-7")
    assert about(facts, "ib.port.state") == {"mlx5_0/1": "Down", "mlx5_1/1": "Active"}
    assert about(facts, "ib.port.physical_state") == {"mlx5_0/1": "Polling", "mlx5_1/1": "LinkUp"}
    assert about(facts, "ib.port.rate") == {"mlx5_0/1": 40, "mlx5_1/1": 400}
    assert about(facts, "ib.ca.firmware_version") == {"mlx5_0": "28.39.1002"}
    assert {fact.entity.node for fact in facts if fact.entity} == {"gpu-7"}


def test_ports_of_ibstatus_and_ibv_devinfo() -> None:
    facts = facts_of(IBSTATUS, Kind.IBSTAT)
    assert about(facts, "ib.port.state") == {"mlx5_0/1": "ACTIVE"}
    assert about(facts, "ib.port.physical_state") == {"mlx5_0/1": "LinkUp"}
    info = facts_of(DEVINFO, Kind.IBSTAT)
    assert about(info, "ib.port.active_mtu") == {"mlx5_bond_0/1": 1024}
    assert about(info, "ib.port.state") == {"mlx5_bond_0/1": "PORT_ACTIVE"}
    assert about(info, "ib.gid") == {"mlx5_bond_0/1": "::ffff:10.0.1.6"}


def test_links_of_the_rdma_tool_and_gids() -> None:
    facts = facts_of(RDMA, Kind.IBSTAT)
    assert about(facts, "ib.port.state") == {"mlx5_0/1": "Active", "mlx5_2/1": "Down"}
    (gid,) = [fact for fact in facts_of(SHOW_GIDS, Kind.IBSTAT) if fact.name == "ib.gid"]
    assert gid.labels == {"index": "3", "type": "RoCE v2", "netdev": "eth0"}


def test_links_of_the_fabric_with_their_peers() -> None:
    facts = facts_of(LINKINFO, Kind.IBSTAT)
    states = about(facts, "ib.link.state")
    assert states == {"gnode-01 mlx5_0/1": "Active", "leaf-1/6": "Down", "leaf-1/7": "Active"}
    assert about(facts, "ib.link.width")["leaf-1/7"] == "2X"
    assert about(facts, "ib.link.note") == {"leaf-1/7": "Could be 4X"}
    assert next(fact for fact in facts if fact.name == "ib.link.state").labels["peer"] == "leaf-1"


def test_counters() -> None:
    assert values(facts_of(PERFQUERY, Kind.IBSTAT), "ib.counter.symbol_error_counter") == [12]
    assert values(facts_of(PERFQUERY, Kind.IBSTAT), "ib.counter.link_downed_counter") == [3]
    ethernet = facts_of(ETHTOOL + STATS, Kind.IBSTAT)
    assert about(ethernet, "eth.link_detected") == {"eth0": "no"}
    assert about(ethernet, "eth.speed_mbit_per_s") == {"eth0": 25000}
    assert values(ethernet, "eth.counter.rx_discards_phy") == [918]
    link = facts_of(IP, Kind.IBSTAT)
    assert about(link, "net.state") == {"eth0": "DOWN"}
    assert about(link, "net.carrier") == {"eth0": False}
    assert about(link, "net.rx_errors") == {"eth0": 7}
    assert about(link, "net.tx_errors") == {"eth0": 0}
