"""An address that has the shape of the job's own pods and is the name of none of them.

## What it checks
Names in the command line and the variables of all containers that begin with the job's name, against the names by which
the job's pods are reached: those of the Services that the operator makes, and of the hosts in them. A name counts as an
address where an option or a variable says so (`--master-addr`, `MASTER_ADDR`), where a port stands behind it, or where
its domain is the job's, or where a loop waits for it (`until nslookup NAME`); it must be built like the name of one of
the job's pods. Pods with `hostAliases` are passed over, and so are names of other Services in the same files. Of a Job
of Kubernetes (`batch/v1`), whose pods have names of their own with `completionMode: Indexed` and a `subdomain`, this is
looked at, too.

## Why it hurts
The name is never found. All pods wait for the first one until the rendezvous gives up, and hold their devices; a loop
does not give up.

## Severity
- error: a launcher is told to meet at a name that only a pod of this job could have, and none has it.
- warning: the program may not use the address, or a Service of that name may be made by hand.

## Example
Bad:

```yaml
Worker:
  replicas: 2
  template:
    spec:
      containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [torchrun, --rdzv-backend=c10d, "--rdzv-endpoint=llama-ft-master-0:23456", train.py]
```

Good:

```yaml
Worker:
  replicas: 2
  template:
    spec:
      containers:
        - name: pytorch
          image: registry.example.com/train:1.4
          command: [torchrun, --rdzv-backend=c10d, "--rdzv-endpoint=llama-ft-worker-0:23456", train.py]
```

## Fix
Write the name that the pod has: `specgen expand` lists them. Of a Job of Kubernetes whose headless Service is in the
same file: the `subdomain` that its pods lack. Unsafe: the pods then meet.

## When to ignore it
A warning where a Service of that name is made by hand, or where the program does not use the address. Else never.

## References
Kubernetes 1.36, pkg/controller/endpointslice, and the specification of cluster DNS, 1.1; kubernetes-sigs/jobset 0.12,
pkg/controllers/jobset_controller.go; training-operator 1.9, pkg/controller.v1/common/service.go; mpi-operator 0.8,
pkg/controller/mpi_job_controller.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import ReplaceText, Set
from specgen.diagnostics.suggest import similar
from specgen.manifest.views import mapping
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.batch import BATCH
from specgen.operators.kubernetes.hosts import hosts_of
from specgen.rules import ADDRESS, ALL, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.operators.kubernetes.hosts import Hosts
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG510", "address-of-no-pod", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (ADDRESS,)

_SIGNS = "abcdefghijklmnopqrstuvwxyz0123456789-."
# What may stand around an address: it is a whole word, one of a list, or the host of a URL.
_BEFORE, _AFTER = " \t\r\n\"'`=,;(&|@[<>", " \t\r\n\"'`:,;)&|]<>\\"
# The last words of options and variables that hold addresses.
_HOLDS = (
    "addr",
    "address",
    "host",
    "hosts",
    "hostname",
    "endpoint",
    "uri",
    "ip",
    "coordinator",
    "master",
    "H",
    "wlist",
)
# Options by which launchers meet, and the variables that torchrun reads in their place.
_MEETS = ("master_addr", "rdzv_endpoint", "main_process_ip")
_READ = {"PET_MASTER_ADDR": "master_addr", "PET_RDZV_ENDPOINT": "rdzv_endpoint"}
# Options and variables, besides those, that say where the pods of a job meet.
_MEETING = (*_MEETS, "coordinator_address", "jax_coordinator_address")
# Programs that loops ask for a name, and words that they take before it.
_ASKED = ("dig", "getent", "host", "nc", "ncat", "netcat", "nslookup", "ping", "telnet")
_TABLES = ("ahosts", "ahostsv4", "ahostsv6", "hosts")
# Names among which near ones are sought.
_NEAR = 200


class _Address:
    """A name in a text: where it stands, what it is said for (an option or a variable), whether a port follows.

    ``awaited``: whether a loop of a shell asks for it until it is found.
    """

    __slots__ = ("awaited", "end", "name", "path", "port", "said_for", "start", "text")

    def __init__(self, name: str, path: Path, text: str, start: int, end: int, said_for: str) -> None:
        self.name = name
        self.path = path
        # the whole text, and the name's part of it
        self.text = text
        self.start = start
        self.end = end
        self.said_for = said_for
        self.port = text[end : end + 1] == ":" and text[end + 1 : end + 2].isdigit()
        self.awaited = _is_awaited(text[:start])


def _is_awaited(before: str) -> bool:
    """Whether a name behind this text is what a loop looks up: `until nslookup `, `while ! nc -z `."""
    for sign in ";|&()\n!`":
        before = before.replace(sign, f" {sign} ")
    words = before.split()
    loops = [at for at, word in enumerate(words) if word == "until" or words[at : at + 2] == ["while", "!"]]
    if not loops or "do" in words[loops[-1] :]:
        return False
    while words and (words[-1] in _TABLES or words[-1].isdigit() or words[-1][:1] == "-"):
        words.pop()
    return bool(words) and words[-1].rpartition("/")[2] in _ASKED


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each address; silent where the operator makes nothing of the job, or not all of its pods."""
    job = mapping(workload.manifest.tree.get("metadata")).get("name")
    # the old MPIJob's launcher reaches its workers through the API server, by the names of pods
    if not isinstance(job, str) or not job or (workload.kind, workload.operator) == ("MPIJob", "training-operator"):
        return
    found = _found(workload, job)
    if not found or context.reader is None:
        return
    expansion = context.resumed(workload)
    if not expansion.pods or expansion.left_out or expansion.refusals:
        return
    hosts = hosts_of(expansion, [*workload.companions, *context.companions])
    stems, namespace = _stems(workload, hosts, job), workload.manifest.ref.namespace
    # before 0.5 the mpi-operator had a Service of that name for the workers
    before = f".{job}-worker" if workload.kind == "MPIJob" and workload.operator not in context.operators else ""
    for container, one in found:
        if not hosts.reach(one.name, namespace, job) and _is_own(one, hosts, stems, job):
            if before and before in one.name:
                continue
            if workload.pods == 1 and one.name in hosts.names:
                continue  # a pod finds itself without its domain
            yield _finding(workload, container, one, hosts, job)


def of_batch_job(workload: Workload, hosts: Hosts, headless: Sequence[str]) -> Iterator[Finding]:
    """The same of a Job of Kubernetes itself, whose pods have host names where they have an index.

    ``headless``: Services that answer for its pods' hosts once these name one as their domain. A StatefulSet may have
    the Job's name, and pods of the same names: what counts is where the Job's own pods are to meet.
    """
    job = workload.manifest.ref.name
    stems = {job}
    if workload.pods < 2:
        return
    for container, one in _found(workload, job):
        meets = one.said_for.lower().lstrip("$").removeprefix("pet_") in _MEETING or _is_met(container, one)
        if (
            meets
            and not hosts.reach(one.name, workload.manifest.ref.namespace, job)
            and _is_own(one, hosts, stems, job)
        ):
            yield _finding(workload, container, one, hosts, job, headless)


def _found(workload: Workload, job: str) -> list[tuple[Container, _Address]]:
    """What may be an address in the containers of pods that there will be."""
    found: list[tuple[Container, _Address]] = []
    seen: set[int] = set()
    for role in workload.roles:
        for container in (*role.containers(init=True), *role.containers()):
            if id(container.tree) not in seen and role.replicas > 0 and not role.pod.get("hostAliases"):
                seen.add(id(container.tree))
                found += [(container, one) for one in _addresses(container, f"{job}-")]
    return found


def _addresses(container: Container, own: str) -> Iterator[_Address]:
    """Names that begin as those of the job's pods do, and may be addresses."""
    before = ""
    for key, index, text in container.words():
        yield from _in_text(text, (*container.path, key, index), own, before)
        before = text
    for name, (index, entry) in container.env.items():
        value = entry.get("value")
        if isinstance(value, str) and name not in container.role.workload.rules_env:
            yield from _in_text(value, (*container.path, "env", index, "value"), own, f"${name}")


def _in_text(text: str, path: Path, own: str, before: str) -> Iterator[_Address]:
    """``before``: the word in front of the text; a variable whose value it is begins with a dollar sign."""
    at = text.find(own)
    while at >= 0:
        end = at
        while end < len(text) and text[end] in _SIGNS:
            end += 1
        name, schemed = text[at:end].rstrip("."), text[max(0, at - 3) : at] == "://"
        starts = at == 0 or text[at - 1] in _BEFORE or schemed
        ends = text[end : end + 1] in ("", *_AFTER) or (schemed and text[end] == "/")
        if starts and ends and not name.endswith("-"):
            left = text[:at].removesuffix("tcp://").rstrip("\"'").split()
            word = before if before[:1] == "$" or not left else left[-1]
            if word[-1:] != "=" and left and text[at - 1] == "=":
                word += "="
            said_for = word.partition("=")[0].lstrip("-") if word[:1] in "-$" or word[-1:] == "=" else ""
            yield _Address(name, path, text, at, at + len(name), said_for.replace("-", "_"))
        at = text.find(own, max(end, at + 1))


def _stems(workload: Workload, hosts: Hosts, job: str) -> set[str]:
    """How the names of the job's pods begin, up to their numbers; those of roles that it may have, too."""
    stems = {host.rstrip("0123456789-") for host in (*hosts.names, *hosts.nameless) if host.startswith(f"{job}-")}
    if workload.terms is not None:
        stems.update([f"{job}-{role.lower()}" for role in workload.terms.roles])
    return {stem for stem in stems if len(stem) > len(job)}


def _is_own(one: _Address, hosts: Hosts, stems: set[str], job: str) -> bool:
    """Whether a name is an address, and no other's than a pod's of this job."""
    host, _, rest = one.name.partition(".")
    domain = rest.partition(".")[0]
    stem = host.rstrip("0123456789-")
    if stem == host:
        return False  # pods are numbered
    if domain and (domain == job or domain in hosts.domains):
        return True
    own = {known.removeprefix(f"{job}-"): None for known in stems}
    if stem not in stems and not similar(stem.removeprefix(f"{job}-"), own):
        return False
    # what stands behind a file's name is no domain
    last = one.said_for.lower().lstrip("$").rpartition("_")[2] if one.said_for != "H" else "H"
    return one.port or one.awaited or last in _HOLDS or ".svc" in one.name


def _finding(
    workload: Workload, container: Container, one: _Address, hosts: Hosts, job: str, headless: Sequence[str] = ()
) -> Finding:
    host, _, rest = one.name.partition(".")
    right, related = _right(host, hosts), []
    network = mapping(mapping(workload.manifest.tree.get("spec")).get("network"))
    message, label, helps = f"no pod is reached as `{shown(one.name)}`", "no such host", []
    first = [name for host, name in hosts.names.items() if host.startswith(f"{job}-")]
    waits = "the loop never ends" if one.awaited else "whoever is to meet there waits until it gives up"
    notes = [f"the name is never found: {waits}"]
    if first:
        span = f"`{first[0]}`" + (f" to `{first[-1]}`" if len(first) > 1 else "")
        notes = [f"the job's pods are reached as {span}", *notes]
    if host in hosts.nameless:
        message = f"`{shown(one.name)}` is no name of a pod: no Service answers for the job's pods"
        if workload.kind == "JobSet" and network.get("enableDNSHostnames") is False:
            related = [(Place(("spec", "network", "enableDNSHostnames")), "no Service is made")]
            helps = ["leave `enableDNSHostnames` out: pods are then reached by name"]
        elif workload.kind == "Job" and workload.operator == BATCH:
            helps = ["write the name of a headless Service as the pods' `subdomain`, and behind the host's"]
        elif workload.operator == "volcano":
            helps = ["add the plugin `svc`, by which pods are reached by name"]
    elif workload.operator == BATCH and "completionMode" not in workload.roles[0].tree:
        message = f"no pod is called `{shown(host)}`: pods have names of their own with `completionMode: Indexed` alone"
        helps = ["write `completionMode: Indexed`, a headless Service, and its name as the pods' `subdomain`"]
    elif host in hosts.names and not rest:
        message = f"other pods do not find `{shown(one.name)}` without its domain"
        label = f"only in `{hosts.names[host].partition('.')[2]}`"
    elif host in hosts.names and "subdomain" in network and workload.kind == "JobSet":
        related = [(Place(("spec", "network", "subdomain")), "the domain of the pods")]
    domain, fix = rest.partition(".")[0], None
    if workload.operator == BATCH and host in hosts.nameless and domain in headless:
        path = (*container.role.template_path, "spec", "subdomain")
        fix = Fix(f"write `subdomain: {domain}`", UNSAFE, [Set(path, domain)])
        notes.append(f"the headless Service `{shown(domain)}` answers for these pods once they name it")
        helps = []
    elif right:
        # the namespace, and what stands behind it, stay
        _, _, behind = rest.partition(".")
        written = right if "." not in right and not rest.startswith(f"{job}.") else f"{right}.{behind}".rstrip(".")
        written = f"{right}.{rest}" if "." not in right and rest and rest.partition(".")[0] != job else written
        if one.text.count(one.name) == 1:
            change = [Set(one.path, written)] if one.text == one.name else [ReplaceText(one.path, one.name, written)]
            fix = Fix(f"write `{written}`", UNSAFE, change)
        else:
            helps = [f"write `{written}`"]
    return CODE.at(
        Place(one.path, inside=(one.start, one.end)),
        message,
        label=label,
        related=related,
        notes=notes,
        helps=helps,
        fix=fix,
        severity=ERROR if rest and _is_met(container, one) else WARNING,
    )


def _right(host: str, hosts: Hosts) -> str:
    """The name that is meant; empty where that is not clear."""
    # a pod's number in its Job is missing, or one too many
    for name in (host, f"{host}-0", host.removesuffix("-0")):
        # where pods share a name, each is led to another one
        if name in hosts.names and name not in hosts.shared:
            return hosts.names[name]
    stem = host.rstrip("0123456789-")
    number = host[len(stem) :]
    # the same number under the one name that is near
    pods = [name for name in hosts.names if name not in hosts.shared]
    known = {name.rstrip("0123456789-"): None for name in pods[:_NEAR]}
    near = similar(stem, known)
    return hosts.names.get(f"{near[0]}{number}", "") if len(near) == 1 and near[0] != stem else ""


def _is_met(container: Container, one: _Address) -> bool:
    """Whether a launcher is told to meet at the address: by an option, or by a variable that one takes."""
    line = launchers.of_text([text for _, _, text in container.words()])
    if line is None or line.name == launchers.DEEPSPEED or "standalone" in line.options:
        return False
    static = line.value("rdzv_backend", "static") == "static"
    counts = [
        option
        for option in _MEETS
        # a meeting by c10d does not look at the master, and a static one takes the endpoint if there is one
        if option != "master_addr" or (static and not line.may("rdzv_endpoint"))
    ]
    if one.path[-1] != "value":
        return one.said_for in counts and one.said_for in line.options
    said = [line.value(option) for option in counts]
    reads = (f"$({one.said_for[1:]})", f"${one.said_for[1:]}", f"${{{one.said_for[1:]}}}")
    if any([value.startswith(reads) for value in said]):
        return True
    option = _READ.get(one.said_for[1:], "")
    return line.name == launchers.TORCHRUN and option in counts and not line.may(option)
