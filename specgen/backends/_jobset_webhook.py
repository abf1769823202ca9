"""Which JobSets and Jobs are refused: by the JobSet webhook, and by the API server as Jobs made from them.

Read from kubernetes-sigs/jobset v0.12.0 (f22e565ac3cc), pkg/webhooks/jobset_webhook.go with its default feature gates,
and from Kubernetes 1.36, pkg/apis/batch/validation/validation.go. The schema has been judged before.
"""

from __future__ import annotations

from specgen.backends._jobset_spec import job_name, job_spec, number, pod_spec, text
from specgen.backends._pod_admission import is_label, pod_refusal
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

RANDOM = "<random>"
SERVER = "the API server"
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_REASONS = (
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
)


def known(name: str) -> str:
    """A name with letters for the unknown ones, to judge its form by."""
    return name.replace(RANDOM, "x" * 5)


def shape_refusal(spec: dict[str, Any]) -> str:
    """What the CRD's list keys and expressions refuse and the schema does not say."""
    names = [mapping(job).get("name") for job in sequence(spec.get("replicatedJobs"))]
    for index, name in enumerate(names):
        if name in names[:index]:
            return f"two items of `replicatedJobs` are called `{name}`"
    in_order = mapping(spec.get("startupPolicy")).get("startupPolicyOrder") == "InOrder"
    if in_order and any("dependsOn" in mapping(job) for job in sequence(spec.get("replicatedJobs"))):
        return "`startupPolicy` `InOrder` contradicts `dependsOn`: only one of them may be given"
    for policy in sequence(spec.get("volumeClaimPolicies")):
        for template in sequence(mapping(policy).get("templates")):
            if mapping(mapping(template).get("metadata")).get("namespace"):
                return "`volumeClaimPolicies` must not give a namespace to its templates"
    return ""


def jobset_refusal(name: str, spec: dict[str, Any]) -> str:
    """Why the JobSet webhook refuses a JobSet with its defaults; empty: it is stored."""
    return next(_reasons(known(name), spec), "")


def _reasons(name: str, spec: dict[str, Any]) -> Iterator[str]:
    jobs = [mapping(job) for job in sequence(spec.get("replicatedJobs"))]
    names = [text(job.get("name")) for job in jobs]
    if jobs and "dependsOn" in jobs[0]:
        yield "`dependsOn` cannot be set for the first replicated job"
    subdomain = text(mapping(spec.get("network")).get("subdomain"))
    if subdomain and not is_label(subdomain, letter_first=True):
        yield f"`network.subdomain`: `{subdomain}` is not a DNS label of at most 63 characters that begins with a letter"
    for index, job in enumerate(jobs):
        yield from _job(name, index, job, names)
    for target in sequence(mapping(spec.get("successPolicy")).get("targetReplicatedJobs")):
        if target not in names:
            yield f"`successPolicy.targetReplicatedJobs`: there is no replicated job `{target}`"
    yield from _failure_policy(mapping(spec.get("failurePolicy")), names)
    yield from _coordinator(mapping(spec.get("coordinator")), jobs, names)


def _job(name: str, index: int, job: dict[str, Any], names: list[str]) -> Iterator[str]:
    path, own = f"replicatedJobs[{index}]", job_spec(job)
    replicas, parallelism = number(job.get("replicas"), 1), number(own.get("parallelism"), 1)
    if replicas * parallelism > 2**31 - 1:
        yield f"`{path}`: `replicas` times `parallelism` is more than {2**31 - 1}"
    group = text(job.get("groupName"))
    if not is_label(group, letter_first=True):
        yield f"`{path}.groupName`: `{group}` is not a DNS label of at most 63 characters that begins with a letter"
    longest = job_name(name, names[index], replicas - 1)
    if not is_label(longest, letter_first=True):
        long = f"`{longest}` has {len(longest)} characters, at most 63 are allowed"
        yield f"the name of a Job: {long if len(longest) > 63 else f'`{longest}` is not a DNS label'}"
    if own.get("completionMode") == "Indexed" and "completions" in own:
        # the letters that the API server appends to generated pod names
        pod = f"{longest}-{number(own['completions'], 1) - 1}-abcde"
        if len(pod) > 63:
            yield f"the name of a pod such as `{pod}` has {len(pod)} characters, at most 63 are allowed"
    for dependency in sequence(job.get("dependsOn")):
        other = mapping(dependency).get("name")
        if other not in names[:index]:
            yield f"`{path}.dependsOn`: `{other}` is no earlier replicated job"


def _failure_policy(policy: dict[str, Any], names: list[str]) -> Iterator[str]:
    if policy.get("restartStrategy") == "InPlaceRestart":
        yield "`failurePolicy.restartStrategy`: `InPlaceRestart` needs the feature gate `InPlaceRestart`"
    seen: list[str] = []
    for index, item in enumerate(sequence(policy.get("rules"))):
        path, rule = f"failurePolicy.rules[{index}]", mapping(item)
        name = text(rule.get("name"))
        if not _is_rule_name(name):
            yield f"`{path}.name`: `{name}` is no name of a rule"
        if name in seen:
            yield f"`{path}.name`: two rules are called `{name}`"
        seen.append(name)
        for target in sequence(rule.get("targetReplicatedJobs")):
            if target not in names:
                yield f"`{path}.targetReplicatedJobs`: there is no replicated job `{target}`"
        for reason in sequence(rule.get("onJobFailureReasons")):
            if reason not in _REASONS:
                yield f"`{path}.onJobFailureReasons`: `{reason}` is no reason for which a Job fails"
        if rule.get("action") in ("RestartJob", "RestartJobAndIgnoreMaxRestarts"):
            yield f"`{path}.action`: `{rule['action']}` needs the feature gate `RestartJob`"


def _is_rule_name(name: str) -> bool:
    if not 0 < len(name) <= 128 or name[0] not in _LETTERS or name[-1] in ",:":
        return False
    return all(letter in _LETTERS or letter in "0123456789_,:" for letter in name)


def _coordinator(coordinator: dict[str, Any], jobs: list[dict[str, Any]], names: list[str]) -> Iterator[str]:
    if not coordinator:
        return
    name = text(coordinator.get("replicatedJob"))
    if name not in names:
        yield f"`coordinator.replicatedJob`: there is no replicated job `{name}`"
        return
    job = jobs[names.index(name)]
    if not 0 <= number(coordinator.get("jobIndex"), 0) < number(job.get("replicas"), 1):
        yield f"`coordinator.jobIndex`: `{name}` has no Job {coordinator.get('jobIndex')}"
    own = job_spec(job)
    if own.get("completionMode") != "Indexed" or "completions" not in own:
        yield f"`coordinator`: the Jobs of `{name}` are not indexed, or have no `completions`"
    elif not 0 <= number(coordinator.get("podIndex"), 0) < number(own.get("completions"), 1):
        yield f"`coordinator.podIndex`: a Job of `{name}` has no pod {coordinator.get('podIndex')}"


def job_refusal(job: dict[str, Any]) -> str:
    """Why the API server refuses a Job of a replicated job; empty: it is created."""
    own = job_spec(job)
    for key in ("parallelism", "completions"):
        if number(own.get(key), 0) < 0:
            return f"`spec.{key}`: {own[key]} is negative"
    if own.get("completionMode") == "Indexed" and "completions" not in own and "parallelism" in own:
        return "`spec.completions` is missing beside `spec.parallelism`, which indexed Jobs do not allow"
    pod = pod_spec(job)
    if pod.get("restartPolicy") == "Always":
        return "`spec.template.spec.restartPolicy`: `Always` is not for Jobs"
    reason = pod_refusal(pod)
    return reason.replace("`spec.", "`spec.template.spec.", 1)
