"""Jobs with a launcher, for tests of the planner: both operators' MPIJobs, and what their containers become."""

from __future__ import annotations

from typing import Any

from tests.lower.lowering import built, tree

# of this image it is known where its sshd listens
KNOWN = "registry.example.com/mpioperator/base:v0.6.0"
MPI = {"target": {"kind": "MPIJob", "version": "v2beta1"}, "image": KNOWN}
V1 = {"target": {"kind": "MPIJob", "version": "v1"}}
FABRIC = {
    "pools": {
        "gpu": {
            "gpu": {"resource": "nvidia.com/gpu", "perNode": 8},
            "hca": {"resource": "rdma/hca", "perNode": 8},
            "fabric": {
                "rdma": "device",
                "interface": "eth0",
                "adds": {"env": {"UCX_TLS": "rc", "OMPI_MCA_btl": "^openib", "LD_LIBRARY_PATH": {"prepend": "/opt/x"}}},
            },
        }
    }
}
OLD = {"operators": {"mpi-operator": {"version": "0.4.0"}}}


def parts(words: dict[str, Any], cluster: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The containers of launcher and workers; the second one is empty where there are none."""
    roles = tree(built({**MPI, **words}, cluster))["spec"]["mpiReplicaSpecs"]
    first, *rest = [role["template"]["spec"]["containers"][0] for role in roles.values()]
    return first, rest[0] if rest else {}


def env(container: dict[str, Any]) -> dict[str, Any]:
    return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in container.get("env", [])}
