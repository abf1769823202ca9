"""Which JobSets and Jobs are refused: by the JobSet webhook, and by the API server as Jobs made from them.

Read from kubernetes-sigs/jobset v0.12.0 (f22e565ac3cc), pkg/webhooks/jobset_webhook.go with its default feature gates,
and from ``kubernetes.job`` for Jobs. The schema has been judged before.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset.facts import (
    WEBHOOK,
    job_name,
    job_spec,
    number,
    pod_template,
    text,
    with_defaults,
)
from specgen.operators.kubernetes.admission import pod_refusal
from specgen.operators.kubernetes.job import refusals as job_refusals
from specgen.operators.kubernetes.names import is_label, known
from specgen.operators.kubernetes.objects import NAME, SERVER, misshapen, name_of, name_refusal, tree_of
from specgen.operators.objection import Objection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from specgen.manifest.views import Workload
    from specgen.operators.kubernetes.reason import Reason as OfJob
    from specgen.source import Path

    # Path below the object's spec, and why it is refused there.
    Reason: TypeAlias = tuple[Path, str]

# Stands for the path of the JobSet's name, which is not below its spec.
JOBSET_NAME: tuple[str, ...] = ("<name>",)
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_REASONS = (
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
)


def expressions(spec: dict[str, Any]) -> Iterator[Reason]:
    """What the CRD's list keys and expressions refuse and the schema does not say."""
    names = [mapping(job).get("name") for job in sequence(spec.get("replicatedJobs"))]
    for index, name in enumerate(names):
        if name in names[:index]:
            yield ("replicatedJobs", index, "name"), f"two items of `replicatedJobs` are called `{name}`"
    in_order = mapping(spec.get("startupPolicy")).get("startupPolicyOrder") == "InOrder"
    if in_order and any("dependsOn" in mapping(job) for job in sequence(spec.get("replicatedJobs"))):
        yield (
            ("startupPolicy", "startupPolicyOrder"),
            "`startupPolicy` `InOrder` contradicts `dependsOn`: only one of them may be given",
        )
    for at, policy in enumerate(sequence(spec.get("volumeClaimPolicies"))):
        for index, template in enumerate(sequence(mapping(policy).get("templates"))):
            if mapping(mapping(template).get("metadata")).get("namespace"):
                place = ("volumeClaimPolicies", at, "templates", index, "metadata", "namespace")
                yield place, "`volumeClaimPolicies` must not give a namespace to its templates"


def hooked(name: str, spec: dict[str, Any]) -> Iterator[Reason]:
    """What the webhook refuses of a JobSet with its defaults."""
    jobs = [mapping(job) for job in sequence(spec.get("replicatedJobs"))]
    names = [text(job.get("name")) for job in jobs]
    if jobs and "dependsOn" in jobs[0]:
        yield ("replicatedJobs", 0, "dependsOn"), "`dependsOn` cannot be set for the first replicated job"
    subdomain = text(mapping(spec.get("network")).get("subdomain"))
    if subdomain and not is_label(subdomain, letter_first=True):
        form = "a DNS label of at most 63 characters that begins with a letter"
        yield ("network", "subdomain"), f"`network.subdomain`: `{subdomain}` is not {form}"
    for index, job in enumerate(jobs):
        yield from _job(name, index, job, names)
    for index, target in enumerate(sequence(mapping(spec.get("successPolicy")).get("targetReplicatedJobs"))):
        if target not in names:
            path = ("successPolicy", "targetReplicatedJobs", index)
            yield path, f"`successPolicy.targetReplicatedJobs`: there is no replicated job `{target}`"
    yield from _failure_policy(mapping(spec.get("failurePolicy")), names)
    yield from _coordinator(mapping(spec.get("coordinator")), jobs, names)


def _job(name: str, index: int, job: dict[str, Any], names: list[str]) -> Iterator[Reason]:
    path, own, at = f"replicatedJobs[{index}]", job_spec(job), ("replicatedJobs", index)
    replicas, parallelism = number(job.get("replicas"), 1), number(own.get("parallelism"), 1)
    if replicas * parallelism > 2**31 - 1:
        yield at, f"`{path}`: `replicas` times `parallelism` is more than {2**31 - 1}"
    group = text(job.get("groupName"))
    if not is_label(group, letter_first=True):
        form = "a DNS label of at most 63 characters that begins with a letter"
        yield (*at, "groupName"), f"`{path}.groupName`: `{group}` is not {form}"
    longest = job_name(name, names[index], replicas - 1)
    if not is_label(longest, letter_first=True):
        long = f"`{longest}` has {len(longest)} characters, at most 63 are allowed"
        # where the JobSet's own name is at fault, that is where to look
        place = (*at, "name") if is_label(name, letter_first=True) and len(longest) <= 63 else JOBSET_NAME
        yield place, f"the name of a Job: {long if len(longest) > 63 else f'`{longest}` is not a DNS label'}"
    if own.get("completionMode") == "Indexed" and "completions" in own:
        # the letters that the API server appends to generated pod names
        pod = f"{longest}-{number(own['completions'], 1) - 1}-abcde"
        if len(pod) > 63:
            yield JOBSET_NAME, f"the name of a pod such as `{pod}` has {len(pod)} characters, at most 63 are allowed"
    for number_of, dependency in enumerate(sequence(job.get("dependsOn"))):
        other = mapping(dependency).get("name")
        if other not in names[:index]:
            yield (*at, "dependsOn", number_of), f"`{path}.dependsOn`: `{other}` is no earlier replicated job"


def _failure_policy(policy: dict[str, Any], names: list[str]) -> Iterator[Reason]:
    if policy.get("restartStrategy") == "InPlaceRestart":
        yield (
            ("failurePolicy", "restartStrategy"),
            "`failurePolicy.restartStrategy`: `InPlaceRestart` needs the feature gate `InPlaceRestart`",
        )
    seen: list[str] = []
    for index, item in enumerate(sequence(policy.get("rules"))):
        path, rule, at = f"failurePolicy.rules[{index}]", mapping(item), ("failurePolicy", "rules", index)
        name = text(rule.get("name"))
        if not _is_rule_name(name):
            yield (*at, "name"), f"`{path}.name`: `{name}` is no name of a rule"
        if name in seen:
            yield (*at, "name"), f"`{path}.name`: two rules are called `{name}`"
        seen.append(name)
        for target in sequence(rule.get("targetReplicatedJobs")):
            if target not in names:
                where = (*at, "targetReplicatedJobs")
                yield where, f"`{path}.targetReplicatedJobs`: there is no replicated job `{target}`"
        for reason in sequence(rule.get("onJobFailureReasons")):
            if reason not in _REASONS:
                where = (*at, "onJobFailureReasons")
                yield where, f"`{path}.onJobFailureReasons`: `{reason}` is no reason for which a Job fails"
        if rule.get("action") in ("RestartJob", "RestartJobAndIgnoreMaxRestarts"):
            yield (*at, "action"), f"`{path}.action`: `{rule['action']}` needs the feature gate `RestartJob`"


def _is_rule_name(name: str) -> bool:
    if not 0 < len(name) <= 128 or name[0] not in _LETTERS or name[-1] in ",:":
        return False
    return all(letter in _LETTERS or letter in "0123456789_,:" for letter in name)


def _coordinator(coordinator: dict[str, Any], jobs: list[dict[str, Any]], names: list[str]) -> Iterator[Reason]:
    if not coordinator:
        return
    name = text(coordinator.get("replicatedJob"))
    if name not in names:
        yield ("coordinator", "replicatedJob"), f"`coordinator.replicatedJob`: there is no replicated job `{name}`"
        return
    job = jobs[names.index(name)]
    if not 0 <= number(coordinator.get("jobIndex"), 0) < number(job.get("replicas"), 1):
        yield ("coordinator", "jobIndex"), f"`coordinator.jobIndex`: `{name}` has no Job {coordinator.get('jobIndex')}"
    own = job_spec(job)
    if own.get("completionMode") != "Indexed" or "completions" not in own:
        yield ("coordinator",), f"`coordinator`: the Jobs of `{name}` are not indexed, or have no `completions`"
    elif not 0 <= number(coordinator.get("podIndex"), 0) < number(own.get("completions"), 1):
        place = ("coordinator", "podIndex")
        yield place, f"`coordinator.podIndex`: a Job of `{name}` has no pod {coordinator.get('podIndex')}"


def job_refusal(job: dict[str, Any]) -> str:
    """Why the API server refuses a Job of a replicated job; empty: it is created."""
    for one in _job_reasons(job):
        return one.reason
    reason = pod_refusal(pod_template(job))
    return f"`spec.template.{reason[1:]}" if reason else ""


def _job_reasons(job: dict[str, Any]) -> Iterator[OfJob]:
    """What is wrong with the Job itself, with the defaults that the webhook fills in."""
    return job_refusals(job_spec(job), mode="Indexed", restarts="OnFailure")


def refusals(workload: Workload) -> Iterator[Objection]:
    """Everything that is refused of a JobSet or of its Jobs, but for their pods.

    A tree of the wrong shape is not judged, beyond its name.
    """
    tree = tree_of(workload)
    name, given = name_of(tree), mapping(tree.get("spec"))
    if not workload.shaped and misshapen("jobset_v1alpha2", tree):
        given = {}
    yield from of_jobset(name, given)
    for index, job in enumerate(sequence(given.get("replicatedJobs"))):
        for one in _job_reasons(mapping(job)) if number(mapping(job).get("replicas"), 1) > 0 else ():
            path: Path = ("spec", "replicatedJobs", index, "template", *one.path)
            message = f"the Jobs of `{mapping(job).get('name')}`: {one.reason}"
            objection = Objection(path, message, SERVER, of="Job")
            objection.words, objection.right = one.words, one.right
            yield objection


def of_jobset(name: str, given: dict[str, Any]) -> Iterator[Objection]:
    """What is refused of a JobSet itself, in the order in which it is looked at."""
    reason = name_refusal(name)
    if reason:
        yield Objection(NAME, reason, SERVER, "name")
    for path, reason in expressions(given):
        yield Objection(("spec", *path), reason, SERVER)
    usable = is_label(known(name), letter_first=True)
    for path, reason in hooked(known(name), with_defaults(given)):
        if path == JOBSET_NAME:
            yield Objection(NAME, reason, WEBHOOK, "" if usable else "name")
        else:
            yield Objection(("spec", *path), reason, WEBHOOK)
