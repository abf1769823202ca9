"""How the processes of an MPIJob v2beta1 find each other: Services, and the ConfigMap with the host file.

Read from kubeflow/mpi-operator release-0.8 (b10758d), v0.6.0 and v0.4.0: pkg/controller/mpi_job_controller.go.
"""

from __future__ import annotations

from specgen.operators.expansion import MOST_PODS
from specgen.operators.kubernetes.objects import owned
from specgen.operators.mpi.facts import LAUNCHER_IS_FIRST, ONE_SERVICE, OPERATOR, slots, workers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import ObjectRef


class Hosts:
    """The hosts of a job in the order of its host file, ``count`` of them with ``slots`` processes each.

    ``domain``: the Service by whose name pods are found; ``namespace``: kubectl's usual one where nothing names one.
    """

    __slots__ = ("as_worker", "count", "domain", "implementation", "namespace", "ref", "release", "slots")

    def __init__(self, ref: ObjectRef, spec: dict[str, Any], *, as_worker: bool, release: tuple[int, int, int]) -> None:
        roles = spec.get("mpiReplicaSpecs") or {}
        self.ref = ref
        self.release = release
        self.as_worker = as_worker
        self.count = workers(roles) + (1 if as_worker else 0)
        self.slots = slots(spec)
        self.implementation = str(spec.get("mpiImplementation") or "OpenMPI")
        self.namespace = ref.namespace or "default"
        self.domain = ref.name if release >= ONE_SERVICE else f"{ref.name}-worker"

    def services(self) -> list[dict[str, Any]]:
        """The headless Services, without ports."""
        found = [self._service(self.domain, "worker")]
        if self.release < ONE_SERVICE and self.implementation == "Intel":
            found.append(self._service(f"{self.ref.name}-launcher", "launcher"))
        return found

    def _service(self, name: str, role: str) -> dict[str, Any]:
        own = {"operator-name": OPERATOR.name, "job-name": self.ref.name}
        if self.release < ONE_SERVICE:
            own["job-role"] = role
        spec: dict[str, Any] = {"clusterIP": "None"}
        if self.as_worker and self.release >= LAUNCHER_IS_FIRST:
            spec["publishNotReadyAddresses"] = True
        spec["selector"] = {f"training.kubeflow.org/{key}": value for key, value in own.items()}
        labelled = owned(self.ref, name, {"app": self.ref.name})
        return {"apiVersion": "v1", "kind": "Service", "metadata": labelled, "spec": spec}

    def config_map(self) -> dict[str, Any]:
        """The host file, and the script that names the hosts which run: at first the launcher at most."""
        launcher = f"{self.ref.name}-launcher"
        pods = [launcher] if self.as_worker else []
        workers = self.count - len(pods)
        pods += [f"{self.ref.name}-worker-{index}" for index in range(min(workers, MOST_PODS))]
        behind = f" slots={self.slots}" if self.implementation == "OpenMPI" else f":{self.slots}"
        lines = [f"{self._host(pod)}{behind}\n" for pod in pods]
        if workers > MOST_PODS:
            lines.append(f"<and {workers - MOST_PODS} more>\n")
        script = "#!/bin/sh\n" + (f"echo {self._host(launcher)}\n" if self.as_worker else "")
        data = {"discover_hosts.sh": script, "hostfile": "".join(lines)}
        own = owned(self.ref, f"{self.ref.name}-config", {"app": self.ref.name})
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": own, "data": data}

    def _host(self, pod: str) -> str:
        return f"{pod}.{self.domain}.{self.namespace}.svc"

    def volume(self) -> dict[str, Any]:
        """The volume by which the launcher sees the ConfigMap."""
        files = (("hostfile", 0o444), ("discover_hosts.sh", 0o555))
        items = [{"key": name, "mode": mode, "path": name} for name, mode in files]
        return {"name": "mpi-job-config", "configMap": {"items": items, "name": f"{self.ref.name}-config"}}
