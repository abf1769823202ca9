"""Which pods start together, and what they need together, as the job is written."""

from __future__ import annotations

from specgen.diagnostics.model import listed, plural
from specgen.manifest.origins import Sourced
from specgen.quantity import cores_of, milli, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Role, Workload
    from specgen.plan.model import Plan


def members(plan: Plan, pods: int) -> Sourced:
    """How many of the gang's ``pods`` must start together: all, or the least number of an elastic job."""
    if plan.world.elastic and plan.world.least < pods:
        reason = "`elastic.min`: the job starts with these pods, and takes more as there is room"
        return Sourced(plan.world.least, plan.elastic.least.place if plan.elastic is not None else None, reason)
    place = plan.world.pods_place
    if plan.waiting:
        return Sourced(pods, place, f"{plural(pods, 'pod')}: {listed(list(plan.waiting))} comes once they run")
    return Sourced(pods, place, f"{plural(pods, 'pod')}, all roles together")


def together(plan: Plan, workload: Workload) -> list[Role]:
    """The roles of the written job that start together."""
    late = [plan.kind.roles[word] for word in plan.waiting]
    return [role for role in workload.roles if role.name not in late]


def pod_amounts(role: Role) -> dict[str, int]:
    """What one pod of a role asks for: resource → thousandths (of cores, bytes, devices).

    Requests, and limits where there is no request, as Kubernetes fills them in. Init containers are not counted, nor
    what an operator injects: training-operator 1.9.4 (pkg/controller.v1/common/scheduling.go) adds up the same. An
    amount that is no quantity is left out: its shape is reported elsewhere.
    """
    sums: dict[str, int] = {}
    for container in role.containers():
        resources = container.tree.get("resources")
        resources = resources if isinstance(resources, dict) else {}
        asked = {}
        for side in ("limits", "requests"):
            amounts = resources.get(side)
            asked.update(amounts if isinstance(amounts, dict) else {})
        for name, amount in asked.items():
            thousandths = milli(amount)
            if thousandths is not None:
                sums[name] = sums.get(name, 0) + thousandths
    return sums


def resources(roles: list[Role], least: int) -> dict[str, int | str]:
    """What the first ``least`` pods of roles ask for together, in the roles' order, as Kubernetes writes amounts."""
    sums: dict[str, int] = {}
    left = least
    for role in roles:
        pods = min(role.replicas, left)
        left -= pods
        if pods:
            for name, amount in pod_amounts(role).items():
                sums[name] = sums.get(name, 0) + pods * amount
    return {name: spelled(name, amount) for name, amount in sums.items()}


def spelled(name: str, amount: int) -> int | str:
    """Thousandths of a resource as Kubernetes writes it: cores or devices as numbers, bytes in the largest unit."""
    if name == "cpu":
        return cores_of(amount)
    whole = -(-amount // 1000)
    of_bytes = name in ("memory", "ephemeral-storage") or name.startswith("hugepages-")
    return readable(whole) if of_bytes else whole
