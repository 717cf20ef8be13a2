"""Records of changes in the forms that teams and tools keep: what, who, when, and of what sort."""

from datetime import UTC, datetime

import pytest

from firstfault.tools.context import NO_CONTEXT, ReadContext
from firstfault.tools.kinds import Kind
from firstfault.tools.readers import read
from firstfault.tools.readings import Change
from tests.documents import document

LONDON = ReadContext(zone="Europe/London")


def changes(text: str, context: ReadContext = NO_CONTEXT) -> tuple[Change, ...]:
    found = read(document(text, Kind.CHANGE_LOG), context).changes
    for change in found:
        assert change.cite().excerpt
    return found


@pytest.mark.parametrize(
    ("line", "who", "what", "at"),
    [
        (
            "2024-09-20 11:21: vpc pipeline unpaused",
            None,
            "vpc pipeline unpaused",
            datetime(2024, 9, 20, 10, 21, tzinfo=UTC),
        ),
        (
            "2023-01-11 before 14:22  platform team: password changed",
            "platform team",
            "password changed",
            datetime(2023, 1, 11, 14, 22, tzinfo=UTC),
        ),
        (
            "2026-02-25 about 08:26 UTC  platform team: helm upgrade x",
            "platform team",
            "helm upgrade x",
            datetime(2026, 2, 25, 8, 26, tzinfo=UTC),
        ),
        (
            "before 2020-09-07 12:39  platform team: module 0.0.9 -> 0.1.0",
            "platform team",
            "module 0.0.9 -> 0.1.0",
            datetime(2020, 9, 7, 11, 39, tzinfo=UTC),
        ),
        (
            "2024-12-11 15:12 PST  infra team: new service rolled out",
            "infra team",
            "new service rolled out",
            datetime(2024, 12, 11, 23, 12, tzinfo=UTC),
        ),
        (
            "f5393088 2026-06-05 12:23:41 -0700 | remove nodepools (#688)",
            None,
            "remove nodepools (#688)",
            datetime(2026, 6, 5, 19, 23, 41, tzinfo=UTC),
        ),
        ("someone upgraded the driver", None, "someone upgraded the driver", None),
    ],
)
def test_one_change_per_line(line: str, who: str | None, what: str, at: datetime | None) -> None:
    (change,) = changes(line + "\n", LONDON)
    assert (change.who, change.what) == (who, what)
    assert (change.stamp.at if change.stamp else None) == at


def test_a_rough_time_has_a_wide_uncertainty() -> None:
    (change,) = changes("2026-02-25 about 08:26 UTC  team: x\n")
    assert change.stamp is not None
    assert change.stamp.uncertainty_s == 900.0
    assert change.stamp.assumption == "the record says `about`"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("helm upgrade gpu-operator 25.3.4 -> 25.10.0", "helm"),
        ("driver 550.90 installed", "driver"),
        ("BMC firmware update", "firmware"),
        ("routes are destroyed by the pipeline", "network"),
        ("namespaces deleted", "delete"),
        ("all nodes cordoned", "cordon"),
        ("remove nodepools from uw1", "node_pool"),
        ("password of the account changed", "config"),
        ("new telemetry service rolled out", "deployment"),
        ("quota raised", "quota"),
        ("something happened", "change"),
    ],
)
def test_the_sort_of_a_change_is_told_from_its_words(text: str, kind: str) -> None:
    (change,) = changes(text + "\n")
    assert change.kind == kind


def test_nothing_found_is_no_change() -> None:
    assert changes("Could not find changes\n") == ()
    assert changes("No changes in this window\n") == ()


GIT = """commit b76fb1890000000000000000000000000000aaaa
Author: A Person <a@example.com>
Date:   Tue May 26 15:55:51 2026 -0700

    Fix exporter OOM by capping memory (#631)

    The limit was too low.

commit 8699d31f0000000000000000000000000000bbbb
Merge: 1 2
Author: B Person <b@example.com>
Date:   Tue Jul 21 11:16:29 2026 -0700

    Upgrade driver to 580
"""
APT = """
Start-Date: 2026-03-01  06:12:44
Commandline: /usr/bin/unattended-upgrade
Requested-By: ops (1000)
Upgrade: nvidia-driver-550-server:amd64 (550.54.15, 550.90.07), libc6:amd64 (2.39-0, 2.39-1)
End-Date: 2026-03-01  06:13:10

Start-Date: 2026-03-02  06:12:44
Commandline: apt install jq
Install: jq:amd64 (1.7.1)
End-Date: 2026-03-02  06:12:50
"""
DNF = """ID     | Command line             | Date and time    | Action(s)      | Altered
-------------------------------------------------------------------------------
    12 | update kernel            | 2026-03-01 06:12 | I, U           |    3 EE
"""
HELM = """REVISION\tUPDATED                 \tSTATUS    \tCHART               \tAPP VERSION\tDESCRIPTION
1       \tTue Feb 24 08:00:00 2026\tsuperseded\tgpu-operator-v25.3.4\tv25.3.4    \tInstall complete
2       \tWed Feb 25 08:26:00 2026\tdeployed  \tgpu-operator-v25.10 \tv25.10.0   \tUpgrade complete
"""
ARGO = """ID  DATE                           REVISION
0   2026-02-25 08:26:00 +0000 UTC  main (6b1a2c3)
"""
ROLLOUT = "deployment.apps/api\nREVISION  CHANGE-CAUSE\n3         kubectl set image deployment/api api=api:2\n4         <none>\n"
PLAN = """Terraform will perform the following actions:

  # aws_route_table_association.private[0] will be destroyed
  - resource "aws_route_table_association" "private" {
  # aws_eks_node_group.gpu must be replaced
Plan: 1 to add, 0 to change, 2 to destroy.
"""


def test_commits_have_author_time_and_reason() -> None:
    first, second = changes(GIT)
    assert (first.what, first.who, first.why) == (
        "Fix exporter OOM by capping memory (#631)",
        "A Person",
        "The limit was too low.",
    )
    assert first.stamp is not None
    assert first.stamp.at == datetime(2026, 5, 26, 22, 55, 51, tzinfo=UTC)
    assert (second.kind, second.who) == ("driver", "B Person")


def test_transactions_of_package_managers() -> None:
    upgrade, install = changes(APT)
    assert (upgrade.kind, upgrade.who, upgrade.why) == ("driver", "ops (1000)", "/usr/bin/unattended-upgrade")
    assert upgrade.stamp is not None
    assert upgrade.stamp.at == datetime(2026, 3, 1, 6, 12, 44, tzinfo=UTC)
    assert (install.kind, install.what) == ("package", "install jq:amd64 (1.7.1)")
    (transaction,) = changes(DNF)
    assert (transaction.kind, transaction.what) == ("kernel", "update kernel")


def test_revisions_of_releases() -> None:
    first, second = changes(HELM)
    assert "gpu-operator-v25.10" in second.what
    assert second.stamp is not None
    assert second.stamp.at == datetime(2026, 2, 25, 8, 26, tzinfo=UTC)
    assert first.kind == "helm"
    (sync,) = changes(ARGO)
    assert sync.stamp is not None
    assert (sync.kind, sync.stamp.at) == ("gitops_sync", datetime(2026, 2, 25, 8, 26, tzinfo=UTC))
    rollouts = changes(ROLLOUT)
    assert "kubectl set image" in rollouts[0].what
    assert rollouts[0].scope[0].name == "api"


def test_plans_say_what_is_destroyed() -> None:
    destroyed, replaced, total = changes(PLAN)
    assert (destroyed.kind, destroyed.scope[0].name) == ("delete", "aws_route_table_association.private[0]")
    assert replaced.what == "aws_eks_node_group.gpu replaced"
    assert total.what.startswith("Plan: 1 to add")


def test_changes_later_than_what_may_be_seen_are_not_there() -> None:
    as_of = ReadContext(as_of=datetime(2026, 6, 1, tzinfo=UTC))
    assert [change.who for change in changes(GIT, as_of)] == ["A Person"]
