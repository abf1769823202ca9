"""Words that a profile may hold and of which nothing would come: said, instead of dropped without a word."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, listed, plural
from specgen.plan.images import image_checks
from specgen.plan.network import one_source
from specgen.profile import codes
from specgen.profile.levels import ALWAYS, label_of
from specgen.profile.resolve import unknown
from specgen.profile.variables import BUILTIN
from specgen.quantity import bytes_of
from specgen.schema.record import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import RoleDraft
    from specgen.plan.kind import Kind
    from specgen.plan.model import World
    from specgen.plan.network import At
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.roles import RoleProfile
    from specgen.source import Path

# Words of `start` that only a launcher's line has.
OF_A_LAUNCHER = ("bind", "mapBy", "hostfile", "implementation", "wait", "launcherTrains", "forward", "keep", "ssh")
_STARTED = ("torchrun", "accelerate", "mpirun", "horovodrun")
# What a container beside the program cannot ask for, and why.
_NOT_BESIDE = {
    "hca": "what the fabric does for HCAs, it does for the program",
    "shm": "`/dev/shm` is the program's, other containers mount a `scratch` with `memory: true`",
}


def job_checks(job: ResolvedJob, kind: Kind, count: World) -> list[Finding]:
    """Words of the job: options of a starter that has none, secrets without a fetch, names that are always there."""
    findings = []
    data = job.layers.data
    start = data.get("start")
    for word in start if isinstance(start, dict) else ():
        place = job.place(("start", word), KEY)
        if word in OF_A_LAUNCHER and "mpirun" not in kind.starters:
            message = f"`{word}` is of mpirun, which starts nothing in {kind.one}"
            findings.append(codes.NOT_FOR_TARGET.at(place, message))
        elif word in ("path", "options") and count.starter not in _STARTED:
            message = f"`{word}` contradicts `by: {count.starter}`: no starter's line is written"
            findings.append(codes.CONTRADICTION.at(place, message))
    for key in ("dataset", "model"):
        words = data.get(key) or {}
        if "secret" in words and "uri" not in words:
            place = job.place((key, "secret"), KEY)
            findings.append(codes.CONTRADICTION.at(place, "`secret` goes with `uri`: nothing is fetched"))
    for path in [("vars",), *(("roles", role, "vars") for role in data.get("roles") or {})]:
        names = data
        for step in path:
            names = names.get(step) or {}
        for name in names:
            if name in BUILTIN:
                message = f"`$<{name}>` is always there, a variable cannot be called so"
                findings.append(codes.CONTRADICTION.at(job.place((*path, name), KEY), message))
    return findings + _pools(job)


def _pools(job: ResolvedJob) -> list[Finding]:
    """Nodes of the cluster's pools: more of them away, or in domains, than there are; domains of no word."""
    findings: list[Finding] = []
    topology = job.cluster.topology
    for name, pool in job.cluster.pools.items():
        nodes = pool.nodes
        count = nodes.count or len(nodes.names)
        below = ("pools", name, "nodes")
        away = {word: said for word, said in (("cordoned", nodes.cordoned), ("notReady", nodes.not_ready)) if said}
        total = sum(sum(said.values()) if isinstance(said, dict) else said for said in away.values())
        if count and total > count:
            message = f"{plural(total, 'node')} of `{name}` away, and it has {count}"
            findings.append(codes.CONTRADICTION.at(job.cluster_place((*below, next(iter(away)))), message))
        findings += _away(job, name, away)
        for word, said in nodes.domains.items():
            place = job.cluster_place((*below, "domains", word), KEY)
            if word not in topology:
                findings.append(unknown(word, topology, "topology word", place, job, ("topology",)))
            held = sum(said.values()) if isinstance(said, dict) else 0
            if count and held > count:
                message = f"the domains of `{word}` have {plural(held, 'node')}, and `{name}` has {count}"
                findings.append(codes.CONTRADICTION.at(place, message))
    return findings + _levels(job)


def _levels(job: ResolvedJob) -> list[Finding]:
    """Levels of Kueue's flavors that are no word of the topology."""
    findings: list[Finding] = []
    topology = job.cluster.topology
    for flavor, said in job.cluster.scheduling.flavors.items():
        for at, word in enumerate(said.topology or ()):
            if label_of(word, topology) is None:
                place = job.cluster_place(("scheduling", "flavors", flavor, "topology", at))
                findings.append(unknown(word, {**ALWAYS, **topology}, "topology word", place, job, ("topology",)))
    return findings


def _away(job: ResolvedJob, name: str, away: dict[str, int | dict[str, int]]) -> list[Finding]:
    """Nodes that are away from a domain, or by a name, that the pool does not have, or more than a domain has."""
    findings: list[Finding] = []
    nodes = job.cluster.pools[name].nodes
    held: dict[str, int] = dict.fromkeys(nodes.names, 1)
    for said in nodes.domains.values():
        held |= said if isinstance(said, dict) else {}
    total: dict[str, int] = {}
    for word, where in away.items():
        for one, count in where.items() if isinstance(where, dict) else ():
            place = job.cluster_place(("pools", name, "nodes", word, one), KEY)
            total[one] = total.get(one, 0) + count
            if one not in held:
                findings.append(unknown(one, held, "domain", place, job, ("pools", name, "nodes")))
            elif total[one] > held[one]:
                message = f"{plural(total[one], 'node')} of `{one}` away, and it has {held[one]}"
                findings.append(codes.CONTRADICTION.at(place, message))
    return findings


def role_checks(role: RoleDraft, count: World, kind: Kind) -> list[Finding]:
    """Words of a role: sources of variables, topology, processes against GPUs, containers beside."""
    profile = role.profile
    findings = _env_from(profile) + _placing(profile) + _processes(role, count, kind) + _without_rdma(profile)
    findings += _shared_memory(role) + _never_ends(role, kind)
    for path, first, second in profile.texts.collisions:
        message = f"`{first}` and `{second}` come to the same path once their variables are filled in"
        findings.append(codes.CONTRADICTION.at(profile.place((*path, second), KEY), message))
    for group in ("init", "sidecars"):
        for name, container in profile.data.get(group, {}).items():
            for variable, value in container.get("env", {}).items():
                if isinstance(value, dict):
                    findings += _beside_env(profile.place, (group, name, "env", variable), value)
            findings += _beside_amounts(role, (group, name, "resources"), container.get("resources") or {})
            if container.get("image"):
                image = getattr(profile.words, group)[name].image
                findings += image_checks(image, profile.place((group, name, "image")), profile.job)
    if role.fabric_init or role.fabric_sidecars:
        findings += _added(role)
    return findings


def _never_ends(role: RoleDraft, kind: Kind) -> list[Finding]:
    """SG207: a program that trains is started again when it has ended well; the operator stops one that serves."""
    profile = role.profile
    if profile.words.lifecycle.restart != "Always" or role.word in kind.own or role.word in kind.single:
        return []
    message = f"`restart: Always` starts the `{role.word}` again when it has ended well: the job would never succeed"
    helps = ["`OnFailure` starts it again when it has failed"]
    return [codes.CONTRADICTION.at(profile.place(("lifecycle", "restart")), message, helps=helps)]


def _beside_amounts(role: RoleDraft, path: tuple[str, ...], amounts: dict[str, Any]) -> list[Finding]:
    """The words of ``resources`` of a container beside the program, at a path of the role's words."""
    profile = role.profile
    findings = []
    for key, reason in _NOT_BESIDE.items():
        if amounts.get(key):
            message = f"`{key}` is of the pod's program, not of the container `{path[-2]}`"
            findings.append(codes.CONTRADICTION.at(profile.place((*path, key), KEY), message, notes=[reason]))
    for name in amounts.get("claims") or ():
        from specgen.plan.claims import own_claim  # few containers have one

        claim = getattr(profile.words, path[0])[path[1]].resources.claims[name]
        findings += own_claim(role, name, claim, profile.place((*path, "claims", name), KEY))
    if amounts.get("npu") and (role.devices.pool is None or role.devices.pool.npu is None):
        message = "no pool of the cluster profile has an NPU"
        findings.append(codes.UNKNOWN_NAME.at(profile.place((*path, "npu")), message))
    return findings


def _added(role: RoleDraft) -> list[Finding]:
    """Variables and amounts of the containers that the fabric adds, at the cluster profile."""
    findings = []
    for name, (container, place) in (*role.fabric_init.items(), *role.fabric_sidecars.items()):
        for variable, value in container.env.items():
            if not isinstance(value, str):
                path = (*place.path, "env", variable)
                findings += _beside_env(role.profile.job.cluster_place, path, plain(value))
        for key, reason in _NOT_BESIDE.items():
            if container.resources is not None and getattr(container.resources, key):
                message = f"`{key}` is of the pod's program, not of the container `{name}`"
                findings.append(codes.CONTRADICTION.at(place, message, notes=[reason]))
        for claim, said in container.resources.claims.items() if container.resources is not None else ():
            from specgen.plan.claims import own_claim  # as above

            findings += own_claim(role, claim, said, place)
    return findings


def _env_from(profile: RoleProfile) -> list[Finding]:
    findings = []
    for index, source in enumerate(profile.data.get("envFrom", ())):
        named = [word for word in ("secret", "configMap") if source.get(word) is not None]
        if len(named) != 1:
            message = f"an entry of `envFrom` names one of `secret` and `configMap`, not {'both' if named else 'none'}"
            findings.append(codes.CONTRADICTION.at(profile.place(("envFrom", index)), message))
    return findings


def _beside_env(at: At, path: Path, value: dict[str, Any]) -> list[Finding]:
    if "prepend" in value:
        message = "`prepend` needs the shell in front of the program: a container beside it has none"
        return [codes.CONTRADICTION.at(at((*path, "prepend"), KEY), message)]
    return one_source(at, path, value)


def _placing(profile: RoleProfile) -> list[Finding]:
    findings = []
    job, scheduling = profile.job, profile.words.scheduling
    spread = scheduling.spread
    pairs = (("within", scheduling.within), ("near", scheduling.near))
    words = [(word, profile.place(("scheduling", key))) for key, word in pairs if word is not None]
    words += [(word, profile.place(("scheduling", "slices", word), KEY)) for word in scheduling.slices]
    if spread is not None and not isinstance(spread, str):
        findings += _spread(profile)
        for key in ("prefer", "over"):
            if (word := getattr(spread, key)) is not None:
                words.append((word, profile.place(("scheduling", "spread", key))))
    for word, place in words:
        if label_of(word, job.cluster.topology) is None:
            known = [*job.cluster.topology, "host", "zone"]
            findings.append(unknown(word, known, "topology word", place, job, ("topology",)))
    for name, value in scheduling.prefer_labels.items():
        if not isinstance(value, str) and not value:
            place = profile.place(("scheduling", "preferLabels", name))
            helps = ['write a value, a list of them, or `"*"` for any']
            findings.append(codes.CONTRADICTION.at(place, f"`{name}` is preferred, and no value of it", helps=helps))
    if len(scheduling.slices) > 1:
        place = profile.place(("scheduling", "slices"), KEY)
        message = "`slices` takes one word of the topology: Kueue knows slices of one size"
        findings.append(codes.CONTRADICTION.at(place, message))
    if scheduling.within == "host" and (spread == "host" or (spread is not None and not isinstance(spread, str))):
        related = [(profile.place(("scheduling", "within")), "all pods on one node")]
        place = profile.place(("scheduling", "spread"), KEY)
        findings.append(codes.CONTRADICTION.at(place, "`spread` contradicts `within: host`", related=related))
    return findings


def _spread(profile: RoleProfile) -> list[Finding]:
    """SG207: ``spread`` says one thing, and what belongs to `over` stands with it."""
    written = profile.data["scheduling"]["spread"]
    said = [key for key in ("job", "prefer", "over") if key in written]
    if len(said) != 1:
        message = f"`spread` says one of `job`, `prefer` and `over`, not {listed(said) if said else 'none'}"
        return [codes.CONTRADICTION.at(profile.place(("scheduling", "spread"), KEY), message)]
    return [
        codes.CONTRADICTION.at(profile.place(("scheduling", "spread", key), KEY), f"`{key}` belongs to `over`")
        for key in ("domains", "skew")
        if key in written and said != ["over"]
    ]


def _without_rdma(profile: RoleProfile) -> list[Finding]:
    """HCAs that nothing may use."""
    hca = profile.data.get("resources", {}).get("hca")
    if not hca or profile.job.job.communication.rdma is not False:
        return []
    message = f"`rdma: false` contradicts `hca: {hca}`"
    related = [(profile.place(("resources", "hca")), "asks for HCAs")]
    return [codes.CONTRADICTION.at(profile.job.place(("communication", "rdma")), message, related=related)]


def _shared_memory(role: RoleDraft) -> list[Finding]:
    """SG207: more shared memory than the pod may use. The kubelet gives no more than the limit (Kubernetes 1.32)."""
    shm, limit = role.profile.words.resources.shm, role.devices.limits.get("memory")
    if shm in (None, "auto", "host", "none") or limit is None:
        return []
    assert shm is not None
    if bytes_of(shm) <= bytes_of(limit.value):
        return []
    message = f"`shm: {shm}` contradicts `memory: {limit.value}`: what stands in `/dev/shm` is memory of the pod"
    related = [(limit.place, "all memory of the pod")] if limit.place is not None else []
    return [codes.CONTRADICTION.at(role.profile.place(("resources", "shm")), message, related=related)]


def _processes(role: RoleDraft, count: World, kind: Kind) -> list[Finding]:
    """A role whose own number of GPUs is smaller than the number of processes that is started in every pod.

    Roles that ``pods`` does not count train nothing, and may have any number.
    """
    if role.word in kind.own or role.word in kind.single:
        return []
    job, gpus, said = role.profile.job, role.devices.gpu, count.asked.said
    wanted = count.asked.gpu
    if not wanted or said is None or gpus >= count.procs_per_pod or gpus == wanted or role.profile.starts:
        return []
    if count.starter == "none" or job.job.communication.library not in (None, "nccl"):
        return []
    processes = plural(count.procs_per_pod, "process")
    return [
        codes.CONTRADICTION.at(
            role.profile.place(("resources", "gpu")),
            f"{processes} {'starts' if count.procs_per_pod == 1 else 'start'} in each pod, and one of the role "
            f"`{role.word}` has {plural(gpus, 'GPU')}",
            related=[(said.place, f"hence {processes}")],
        )
    ]
