"""What a real executor needs around it: a database role, a kubeconfig, cells in approve mode, its environment."""

import json
import os
import secrets
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from psycopg import sql

from firstfault.agent.ledger.rows import Move
from firstfault.agent.store.roles import grants
from firstfault.evals.sim.kube_api import ADMIN_TOKEN
from firstfault.policies import Action, Mode
from tests.live import kubeconfig

APPROVERS = ("ada", "grace")
"""Who may approve, by the settings of the executor: it asks again whether who said yes still may."""


def now() -> datetime:
    """Return the moment."""
    return datetime.now(UTC)  # noqa: TID251  # a real process reads the real clock


def promotion(action: Action, failure_class: str) -> Move:
    """Return the move of a cell to approve mode."""
    return Move(
        failure_class=failure_class,
        action=action,
        mode_before=Mode.SHADOW,
        mode=Mode.APPROVE,
        by="ada",
        why="test",
        at=now(),
        scorecard="",
        source="",
        scored=0,
        successes=0,
        low=0.0,
        version="",
    )


def executor_role(url: str) -> str:
    """Return the URL of a role that has what `firstfault executor grants` prints, and nothing else."""
    role = f"executor_{secrets.token_hex(6)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
        for statement in grants(role):
            connection.execute(statement.encode())
    return url.replace("//postgres:@", f"//{role}:@", 1)


def environment(folder: Path, role_url: str, server: str) -> dict[str, str]:
    """Return the environment that the process gets; its state lies in `folder`."""
    return {
        **os.environ,
        "XDG_STATE_HOME": str(folder / "state"),
        "FIRSTFAULT_DATABASE_URL": role_url,
        "FIRSTFAULT_KUBERNETES__KUBECONFIG": str(kubeconfig(folder, server, ADMIN_TOKEN)),
        "FIRSTFAULT_APPROVERS__ACTIONS": json.dumps({"default": APPROVERS}),
    }
