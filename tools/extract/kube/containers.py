"""The containers of a pod: what the spec asks for beside what the status says, with the paths of both. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from firstfault.tools.extract.kube.selectors import maps
from firstfault.tools.readings import Json, KubeObject


@dataclass(frozen=True, kw_only=True)
class Container:
    """One container of a pod or of a pod template; paths lead to its fields in the object it was read from."""

    owner: KubeObject
    name: str
    is_init: bool
    spec: Mapping[str, Json]
    spec_path: str
    status: Mapping[str, Json]
    status_path: str

    def asked(self, field: str) -> Json:
        """Return a field of the spec by dotted path, None when absent."""
        return self.owner.get(f"{self.spec_path}.{field}") if self.spec_path else None

    def state(self, which: str, kind: str, field: str) -> str:
        """Return e.g. `state("lastState", "terminated", "reason")` as text, empty when absent."""
        return self.owner.text(f"{self.status_path}.{which}.{kind}.{field}") if self.status_path else ""

    @property
    def restarts(self) -> int:
        """Return the restart count, 0 when unknown."""
        value = self.status.get("restartCount")
        return (
            int(value)
            if isinstance(value, int | float) or (isinstance(value, str) and value.isdigit())
            else 0
        )

    @property
    def ports(self) -> list[Mapping[str, Json]]:
        """Return the declared container ports."""
        return list(maps(self.spec.get("ports")))


def pod_spec_path(item: KubeObject) -> str:
    """Return where the pod spec sits: in a pod itself, in the template of a workload, in the job template of a cron job."""
    for path in ("spec.jobTemplate.spec.template.spec", "spec.template.spec"):
        if item.get(path) is not None:
            return path
    return "spec"


def containers_of(item: KubeObject) -> Iterator[Container]:
    """Yield the containers of a pod or workload, init containers first, whether only spec or only status is known."""
    base = pod_spec_path(item)
    for spec_list, status_list, is_init in (
        ("initContainers", "initContainerStatuses", True),
        ("containers", "containerStatuses", False),
    ):
        specs, statuses = maps(item.get(f"{base}.{spec_list}")), maps(item.get(f"status.{status_list}"))
        names = list(dict.fromkeys(str(part.get("name", "")) for part in (*specs, *statuses)))
        for name in names:
            spec_at = next((i for i, part in enumerate(specs) if str(part.get("name", "")) == name), None)
            status_at = next(
                (i for i, part in enumerate(statuses) if str(part.get("name", "")) == name), None
            )
            yield Container(
                owner=item,
                name=name,
                is_init=is_init,
                spec=specs[spec_at] if spec_at is not None else {},
                spec_path=f"{base}.{spec_list}.{spec_at}" if spec_at is not None else "",
                status=statuses[status_at] if status_at is not None else {},
                status_path=f"status.{status_list}.{status_at}" if status_at is not None else "",
            )
