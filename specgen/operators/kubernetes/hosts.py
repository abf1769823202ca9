"""The names by which other pods reach those of a job, as they follow from what its operator creates.

A Service answers to its own name, and a headless one to the hosts in its domain: pods whose ``subdomain`` is its name.
Read from Kubernetes 1.36, pkg/controller/endpointslice (a host name counts where the pod's subdomain is the Service's
name) and the specification of cluster DNS, 1.1.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.expansion import Expansion


class Hosts:
    """``names``: host or Service → the shortest name that pods of the namespace reach it by, in the order of the pods;
    ``nameless``: hosts that no Service answers for; ``domains``: those of the job's pods; ``searched``: hosts that
    are found without their domain, as their pods search it; ``shared``: Services that are called as no host, whose
    names lead to any of their pods.
    """

    __slots__ = ("domains", "nameless", "names", "searched", "shared")

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.nameless: dict[str, None] = {}
        self.domains: dict[str, None] = {}
        self.searched: set[str] = set()
        self.shared: set[str] = set()

    def reach(self, address: str, namespace: str | None, job: str) -> bool:
        """Whether an address is one of a pod or a Service; ``namespace``: that of the job, None where nobody knows it.

        What stands behind it, the namespace and the domain of the cluster, is taken as it is: they may be another's.
        """
        host, _, rest = address.partition(".")
        name = self.names.get(host)
        if name is None:
            return False
        if name != host:
            domain = name.partition(".")[2]
            return rest == domain or rest.startswith(f"{domain}.") or (not rest and host in self.searched)
        # what stands behind a Service is a namespace; the job's name is one where the job is in it
        return rest.partition(".")[0] != job or namespace in (None, job)


def hosts_of(expansion: Expansion, beside: Iterable[Manifest] = ()) -> Hosts:
    """Of what an operator creates; ``beside``: objects of the same files, whose Services count as well."""
    hosts = Hosts()
    services = {str(mapping(one.get("metadata")).get("name")) for one in expansion.services}
    services.update([str(one.get("metadata", {}).get("name")) for one in expansion.others if one["kind"] == "Service"])
    services.update([one.ref.name for one in beside if one.ref.kind == "Service"])
    hosts.shared.update(services)
    for host, spec in _pods(expansion):
        hosts.shared.discard(host)
        domain = spec.get("subdomain")
        if isinstance(domain, str) and domain:
            hosts.domains[domain] = None
        if domain in services:
            hosts.names[host] = f"{host}.{domain}"
            searches = sequence(mapping(spec.get("dnsConfig")).get("searches"))
            if any([str(one).partition(".")[0] == domain for one in searches]):
                hosts.searched.add(host)
        elif host not in services:
            hosts.nameless[host] = None
    for service in sorted(services):
        hosts.names.setdefault(service, service)
    return hosts


def _pods(expansion: Expansion) -> Iterator[tuple[str, dict[str, Any]]]:
    """(host name, spec) of the pods: a host is called as its pod, unless the pod says otherwise."""
    for pod in expansion.pods:
        spec = mapping(pod.get("spec"))
        host = spec.get("hostname")
        yield host if isinstance(host, str) and host else str(mapping(pod.get("metadata")).get("name")), spec
