"""What a built job waits for, read from its objects and from what the operator makes of them: each is made by somebody.

Read back from the manifest alone, by what Kubernetes and the operators say of a field, not by what the planner meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# Where sshd of an image listens that a test may use (mpi-operator v0.8.0, build/base/Dockerfile).
LISTENS = {"mpioperator/base:v0.8.0": 2222}
_PROBES = ("readinessProbe", "startupProbe", "livenessProbe")


def unmade(
    objects: list[dict[str, Any]], made: list[dict[str, Any]], pods: list[dict[str, Any]], nodes: int | None
) -> list[str]:
    """What is waited for that nobody makes; empty where all is well.

    ``objects``: the built ones, the job among them. ``made``, ``pods``: what the operator makes of them. ``nodes``: how
    many there are for the pods, where that is known.
    """
    suspended = any(one.get("spec", {}).get("suspend") for one in objects) or not pods
    at_once = sum(not _is_held(objects, pod) for pod in pods)
    found = [f"probe: {one}" for pod in pods for one in _probes(pod)]
    found += [f"group: {one}" for one in _groups([*objects, *made], at_once) if not suspended]
    found += [f"depends: {one}" for one in _depends(objects)]
    found += [f"loop: {one}" for pod in pods for one in _loops(pod)]
    return found + [f"port: {one}" for one in _ports(pods, nodes)]


def _containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pod["spec"]["containers"]
    return found


def _probes(pod: dict[str, Any]) -> Iterator[str]:
    """Probes of a port on which nothing is known to listen."""
    for container in _containers(pod):
        words = [*container.get("command", ()), *container.get("args", ())]
        known = [LISTENS.get(container.get("image", ""))]
        known += [int(words[at + 1]) for at, word in enumerate(words) if word == "-p" and words[at + 1].isdecimal()]
        for probe in _PROBES:
            port = container.get(probe, {}).get("tcpSocket", {}).get("port")
            if port is not None and port not in known:
                yield f"{pod['metadata']['name']} {port}, and {known} listen"


def _is_held(objects: list[dict[str, Any]], pod: dict[str, Any]) -> bool:
    """Whether a pod is created after others."""
    name = pod["metadata"]["name"]
    for one in objects:
        spec = one.get("spec", {})
        if spec.get("launcherCreationPolicy") == "WaitForWorkersReady" and "-launcher" in name:
            return True
        for job in spec.get("template", {}).get("spec", {}).get("replicatedJobs", ()):
            if job.get("dependsOn") and f"-{job['name']}-" in name:
                return True
    return False


def _groups(made: list[dict[str, Any]], at_once: int) -> Iterator[str]:
    """Gangs that want more pods than there are before the first of them runs."""
    for one in made:
        spec = one.get("spec", {})
        policy = spec.get("runPolicy", {}).get("schedulingPolicy", {})
        for number in (policy.get("minAvailable"), spec.get("minMember")):
            if number is not None and number > at_once:
                yield f"{one['kind']} {number}, and there are {at_once}"


def _depends(objects: list[dict[str, Any]]) -> Iterator[str]:
    for one in objects:
        jobs = one.get("spec", {}).get("template", {}).get("spec", {}).get("replicatedJobs", ())
        before: list[str] = []
        for job in jobs:
            for entry in job.get("dependsOn", ()):
                if entry["name"] not in before:
                    yield f"{job['name']} on {entry['name']}, which is not before it"
            before.append(job["name"])


def _loops(pod: dict[str, Any]) -> Iterator[str]:
    """Loops of specgen's that have no end."""
    for container in [*_containers(pod), *pod["spec"].get("initContainers", ())]:
        for word in container.get("command", ()):
            if "until said=" in word and not ("-ge 1800" in word and "exit 1" in word):
                yield pod["metadata"]["name"]


def _ports(pods: list[dict[str, Any]], nodes: int | None) -> Iterator[str]:
    """Ports of nodes: each that somebody listens on is said, and there are nodes for all who want the same."""
    wanted: dict[int, int] = {}
    for pod in pods:
        if not pod["spec"].get("hostNetwork"):
            continue
        taken = []
        for container in _containers(pod):
            taken += [port["containerPort"] for port in container.get("ports", ())]
            words = container.get("command", [])
            if words and words[0].endswith("/sshd") and "-p" in words:
                listens = int(words[words.index("-p") + 1])
                if listens not in taken:
                    yield f"{pod['metadata']['name']} does not say {listens}"
        for port in dict.fromkeys(taken):
            wanted[port] = wanted.get(port, 0) + 1
    for port, count in wanted.items():
        if nodes is not None and count > nodes:
            yield f"{count} pods want {port} of {nodes} nodes"
