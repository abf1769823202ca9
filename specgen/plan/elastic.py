"""What must agree in a job whose number of pods changes while it runs."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, NOTE, WARNING, article, plural
from specgen.operators.kubernetes.shell import names_launcher
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.plan.kind import Kind
    from specgen.plan.model import World
    from specgen.profile.resolve import ResolvedJob


def elastic_checks(job: ResolvedJob, kind: Kind, count: World) -> list[Finding]:
    """SG208 where the kind has no elastic jobs, SG207 where counts, roles or the rendezvous contradict each other."""
    if not count.elastic:
        return []
    place = job.place(("elastic",), KEY)
    if not kind.elastic:
        message = f"the number of pods of {kind.one} does not change while it runs"
        return [codes.NOT_FOR_TARGET.at(place, message, notes=[kind.rigid] if kind.rigid else [])]
    findings = _range(job, count)
    if kind.first is not None and (job.layers.data.get("roles") or {}).get(kind.first) is not None:
        name = kind.roles[kind.first]
        message = f"the role `{kind.first}` contradicts `elastic`: all pods of an elastic {kind.name} are workers"
        notes = [f"{article(name)} would start beside them, and the rendezvous would not count it"]
        findings.append(
            codes.CONTRADICTION.at(
                job.place(("roles", kind.first), KEY), message, related=[(place, "the job is elastic")], notes=notes
            )
        )
    return findings + _rendezvous(job) + _told(job) + _scale(job, kind) + _bounds(job)


def _range(job: ResolvedJob, count: World) -> list[Finding]:
    """``min`` ≤ ``pods`` ≤ ``max``: the API server and the operator take any three numbers (recorded with 1.9.4)."""
    elastic = job.job.elastic
    assert elastic is not None
    written = "pods" in job.layers.data
    findings = []
    for key, bound, wrong, word in (
        ("min", elastic.min, count.least > count.pods, "more"),
        ("max", elastic.max, count.most < count.pods, "fewer"),
    ):
        if bound is not None and wrong:
            message = f"`{key}: {bound}` is {word} than the {plural(count.pods, 'pod')} that the job starts with"
            related = [(job.place(("pods",)), f"{plural(count.pods, 'pod')} at the start")] if written else []
            notes = [] if written else ["a job that does not say `pods` starts with one"]
            place = job.place(("elastic", key))
            helps = [f"write `pods: {bound}` beside `elastic`"]
            findings.append(
                codes.CONTRADICTION.at(place, message, label=str(bound), related=related, notes=notes, helps=helps)
            )
    return findings


def _rendezvous(job: ResolvedJob) -> list[Finding]:
    """The operator fills in worker 0 and its own port where no host and port are said: no etcd answers there."""
    elastic = job.job.elastic
    rendezvous = elastic.rendezvous if elastic is not None else None
    if rendezvous is None or rendezvous.backend in (None, "c10d"):
        return []
    missing = [key for key in ("host", "port") if getattr(rendezvous, key) is None]
    if not missing:
        return []
    absent = " and no ".join(f"`{key}`" for key in missing)
    message = f"`backend: {rendezvous.backend}` has no {absent}: nobody knows where etcd answers"
    notes = ["the operator would send the pods to port 23456 of worker 0, where c10d listens"]
    if missing == ["port"]:
        notes = ["the operator would send the pods to port 23456"]
    return [codes.CONTRADICTION.at(job.place(("elastic", "rendezvous", "backend")), message, notes=notes)]


def _bounds(job: ResolvedJob) -> list[Finding]:
    """SG207, a note and a warning: what `elastic.restarts` is taken for, and pods that nobody starts again.

    torchrun counts the meetings of one process of its own (torch 2.13, torch/distributed/elastic/agent/server/api.py,
    `max_restarts`): the one in a container that is started again begins at 0.
    """
    elastic, lifecycle = job.job.elastic, job.job.lifecycle
    assert elastic is not None
    worker = job.job.roles.worker
    again = (worker.lifecycle.restart if worker is not None else None) or lifecycle.restart
    if again == "Never":
        own = worker is not None and worker.lifecycle.restart is not None
        place = job.place(("roles", "worker", "lifecycle", "restart") if own else ("lifecycle", "restart"))
        message = "`restart: Never` contradicts `elastic`: a pod that fails does not come back"
        related = [(job.place(("elastic",), KEY), "pods come and go")]
        helps = ["`OnFailure`, or no `restart` at all, starts the container again, and the workers meet anew"]
        return [codes.CONTRADICTION.at(place, message, related=related, helps=helps, severity=WARNING)]
    if elastic.restarts is None or lifecycle.restarts is not None or lifecycle.backoff_limit is not None:
        return []
    if again == "ExitCode":
        return []
    message = f"`restarts: {elastic.restarts}` ends no job: torchrun counts anew in a container that starts again"
    notes = ["containers start again in place without end, as no `lifecycle.restarts` says how often"]
    helps = [f"write `lifecycle: {{restarts: {max(elastic.restarts, 1)}}}`"]
    place = job.place(("elastic", "restarts"))
    return [codes.CONTRADICTION.at(place, message, notes=notes, helps=helps, severity=NOTE)]


def _told(job: ResolvedJob) -> list[Finding]:
    """Warnings where torchrun's own options, which win over the operator's variables, say otherwise than `elastic`.

    torch 2.13, distributed/argparse_util.py (`env`); its static_tcp_rendezvous.py knows one number of nodes.
    """
    elastic, start = job.job.elastic, job.job.start
    assert elastic is not None
    findings = []
    own = [] if start is None or isinstance(start, str) else list(start.options)
    for path, words in ((("start", "options"), own), (("command",), _own_line(job))):
        for at, word in enumerate(words):
            name, equals, value = word.partition("=")
            name = name.replace("_", "-")
            value = value if equals else "".join(words[at + 1 : at + 2])
            place = job.place((*path, at))
            written = word if equals else f"{word} {value}"
            message, related, said, notes, helps = "", place, "", "", ""
            if name == "--rdzv-backend" and value == "static":
                related, said = job.place(("elastic",), KEY), "an elastic job"
                message = f"`{written}` contradicts `elastic`: a static rendezvous waits for one number of pods"
                notes, helps = "it numbers the pods by what each is told, and knows no less than all", "leave it out"
            elif name == "--max-restarts" and elastic.restarts is not None and value != str(elastic.restarts):
                related, said = job.place(("elastic", "restarts")), f"says {elastic.restarts}"
                message = f"`{written}` wins over `restarts: {elastic.restarts}` of `elastic`"
                notes = f"the operator says {elastic.restarts} in `PET_MAX_RESTARTS`, which torchrun reads without it"
                helps = f"leave it out, and write `restarts: {value}`"
            if message:
                findings.append(
                    codes.CONTRADICTION.at(
                        place, message, related=[(related, said)], notes=[notes], helps=[helps], severity=WARNING
                    )
                )
    return findings


def _own_line(job: ResolvedJob) -> list[str]:
    """The words of the command up to the program of its torchrun."""
    command = job.job.command or []
    if not names_launcher(command):
        return []
    from specgen.operators.kubernetes.launchers import TORCHRUN, of_words  # most commands are the program's alone

    line = of_words(command)
    return list(command[: line.program]) if line is not None and line.name == TORCHRUN else []


def _scale(job: ResolvedJob, kind: Kind) -> list[Finding]:
    """An autoscaler's percent is of what the pods request (Kubernetes 1.36, pkg/controller/podautoscaler): no request,
    no scaling. A warning, as a LimitRange of the namespace may fill one in."""
    elastic = job.job.elastic
    if elastic is None or elastic.scale_on is None:
        return []
    worker = (job.layers.data.get("roles") or {}).get(kind.worker) or {}
    amounts = {**(job.layers.data.get("resources") or {}), **(worker.get("resources") or {})}
    if amounts.get("cpu") is not None:
        return []
    message = "`scaleOn` is a percentage of the CPU that the pods request, and they request none"
    notes = ["the autoscaler then reports that a request is missing, and changes nothing"]
    helps = ["write `resources: {cpu: {request: 4}}`, with the cores that a pod keeps busy"]
    place = job.place(("elastic", "scaleOn", "cpu"))
    label = f"{elastic.scale_on.cpu} % of nothing"
    return [codes.CONTRADICTION.at(place, message, label=label, notes=notes, helps=helps, severity=WARNING)]
