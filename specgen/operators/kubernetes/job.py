"""What the API server refuses of a Job of Kubernetes itself, beside its pods: a Job of its own, or one of a JobSet.

Read from Kubernetes 1.36, pkg/apis/batch/validation/validation.go (ValidateJob, validateJobSpec), with the defaults
that it fills in before (pkg/apis/batch/v1/defaults.go). ``podFailurePolicy`` counts since 1.26 and is always there
since 1.31, ``backoffLimitPerIndex`` since 1.29 and 1.33, ``successPolicy`` since 1.31 and 1.33: older servers drop it.
"""

from __future__ import annotations

from itertools import pairwise

from specgen.diagnostics.model import listed, plural, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, is_qualified, known
from specgen.operators.kubernetes.objects import NAME
from specgen.operators.kubernetes.reason import Reason, because, missing, number, text
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.source import Path

INDEXED = "Indexed"
_MODES = (INDEXED, "NonIndexed")
_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_REPLACES = ("Failed", "TerminatingOrFailed")
_STATUSES = ("False", "True", "Unknown")
_NUMBERS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_PER_INDEX = ("backoffLimitPerIndex", "maxFailedIndexes")
# Of an indexed Job: pods at a time, failed indexes, and completions without further limits; what counts above these.
MOST_PODS, _MOST_ABOVE = 100_000, 10_000
_MOST_RULES, _MOST_CODES = 20, 255
_MOST_INDEXES = 64 * 1024


def refusals(spec: dict[str, Any], name: str = "", *, mode: str, restarts: str) -> Iterator[Reason]:
    """Everything for which a Job is refused, but for what its pods are refused for; paths begin at the Job.

    ``name``: its own, empty where somebody else judges it; ``mode`` and ``restarts``: the defaults for
    ``completionMode`` and the ``restartPolicy`` of pods.
    """
    for key in _NUMBERS:
        value = number(spec, key)
        if value is not None and value < 0:
            yield _said(("spec", key), f"is {value}: negative")
    said = spec.get("completionMode", mode)
    if said not in _MODES:
        yield _none_of(("spec", "completionMode"), str(said), _MODES)
    elif said == INDEXED:
        yield from _indexed(spec)
        yield from _named(spec, name)
    else:
        unsaid = "" if "completionMode" in spec else ", the default"
        by_index = [key for key in (*_PER_INDEX, "successPolicy") if spec.get(key) is not None]
        if by_index:
            need = "needs" if len(by_index) == 1 else "need"
            message = f"{listed(by_index)} {need} `completionMode: Indexed`, not `NonIndexed`{unsaid}"
            yield because(("spec", by_index[0]), message, "", ("spec", "completionMode"))
    if number(spec, "maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield _said(("spec", "maxFailedIndexes"), "needs `backoffLimitPerIndex` beside it")
    policy = spec.get("podFailurePolicy")
    if isinstance(policy, dict):
        yield from _failure_policy(policy, spec)
    replaces, path = spec.get("podReplacementPolicy"), ("spec", "podReplacementPolicy")
    if replaces is not None and isinstance(policy, dict) and replaces != "Failed":
        reason = _said(path, f"can only be `Failed` beside a `podFailurePolicy`, not `{shown(str(replaces))}`")
        reason.right = "Failed"
        yield reason
    elif replaces is not None and replaces not in _REPLACES:
        yield _none_of(path, str(replaces), _REPLACES)
    yield from _restarts(spec, restarts)


def _none_of(path: Path, word: str, words: Sequence[str]) -> Reason:
    reason = because(path, f"`{shown(word)}` is none of {listed(words, most=9)}")
    reason.words = tuple(words)
    return reason


def _said(path: Path, what: str) -> Reason:
    """What is wrong with a field, as the end of a sentence that begins with its name."""
    return Reason(path, f"`{path[-1]}` {what}", "", None, f"`{dotted(path)}` {what}")


def _only(path: Path, message: str, right: Any) -> Reason:
    reason = because(path, message)
    reason.right = right
    return reason


def completions(spec: dict[str, Any]) -> int | None:
    """How many completions a Job has by its defaults; None: no number of them."""
    unsaid = 1 if spec.get("parallelism") is None else None
    return unsaid if spec.get("completions") is None else number(spec, "completions")


def _indexed(spec: dict[str, Any]) -> Iterator[Reason]:
    count, at_once, failed = completions(spec), number(spec, "parallelism"), number(spec, "maxFailedIndexes")
    if spec.get("completions") is None and count is None:
        what, own = "which indexed Jobs do not allow", "`completions` is missing beside `parallelism`"
        where = "`spec.completions` is missing beside `spec.parallelism`"
        yield Reason(("spec", "parallelism"), f"{own}, {what}", "", None, f"{where}, {what}")
    above = count is not None and count > MOST_PODS and spec.get("backoffLimitPerIndex") is not None
    most = _MOST_ABOVE if above else MOST_PODS
    limit = f"{most}, the limit of {f'{count} completions' if above else 'an indexed Job'}"
    path: Path = ("spec", "maxFailedIndexes")
    if at_once is not None and at_once > most:
        yield _said(("spec", "parallelism"), f"is {at_once}, more than {limit}")
    if failed is not None and failed > most:
        yield _said(path, f"is {failed}, more than {limit}")
    elif failed is not None and count is not None and failed > count:
        yield _said(path, f"is {failed}, more than {plural(count, 'completion')}")
    elif above and failed is None:
        message = f"`backoffLimitPerIndex` needs `maxFailedIndexes` beside {count} completions, more than {MOST_PODS}"
        yield because(("spec", "completions"), message)
    policy = spec.get("successPolicy")
    if isinstance(policy, dict):
        yield from _success_policy(policy, count)


def _named(spec: dict[str, Any], name: str) -> Iterator[Reason]:
    """The host name of the last pod."""
    count = completions(spec)
    host = f"{known(name)}-{(count or 0) - 1}"
    if not name or not count or count < 1 or is_label(host):
        return
    if len(host) > 63:
        message = f"pods are called as `{shown(host)}`, which has {len(host)} characters, at most 63 are allowed"
    else:
        message = f"pods of an indexed Job are called as `{shown(host)}`, which is no DNS label"
    yield because(NAME, message)


def _restarts(spec: dict[str, Any], unsaid: str) -> Iterator[Reason]:
    """The restart policy of the pods; a word that no pod may have is a refusal of the pods."""
    path: Path = ("spec", "template", "spec", "restartPolicy")
    written = mapping(mapping(spec.get("template")).get("spec")).get("restartPolicy")
    word = written or unsaid
    said = f"`{word}`" if written else f"`{word}`, the default"
    if word == "Always":
        yield _said(path, f"of a Job's pods can only be `Never` or `OnFailure`, not {said}")
    elif word == "OnFailure" and isinstance(spec.get("podFailurePolicy"), dict):
        reason = _said(path, f"can only be `Never` beside a `podFailurePolicy`, not {said}")
        reason.right = "Never"
        yield reason


def _failure_policy(policy: dict[str, Any], spec: dict[str, Any]) -> Iterator[Reason]:
    path: Path = ("spec", "podFailurePolicy", "rules")
    rules = sequence(policy.get("rules"))
    if len(rules) > _MOST_RULES:
        yield because(path, f"{len(rules)} rules are more than {_MOST_RULES}")
    pod = mapping(mapping(spec.get("template")).get("spec"))
    both = [mapping(one) for key in ("containers", "initContainers") for one in sequence(pod.get(key))]
    names = [name for one in both if isinstance(name := one.get("name"), str)]
    for index, item in enumerate(rules):
        rule, at = mapping(item), (*path, index)
        action = text(rule, "action")
        if action == "":
            yield missing((*at, "action"))
        elif action == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
            yield because((*at, "action"), "`FailIndex` needs `backoffLimitPerIndex` beside `podFailurePolicy`")
        elif action is not None and action not in _ACTIONS:
            yield _none_of((*at, "action"), action, _ACTIONS)
        codes, conditions = rule.get("onExitCodes"), sequence(rule.get("onPodConditions"))
        if codes is None and not conditions:
            yield because(at, "a rule needs `onExitCodes` or `onPodConditions`")
        elif codes is not None and conditions:
            message = "a rule has one of `onExitCodes` and `onPodConditions`, and this one has both"
            yield because((*at, "onPodConditions"), message, "", (*at, "onExitCodes"))
        if isinstance(codes, dict):
            yield from _exit_codes(codes, (*at, "onExitCodes"), names)
        yield from _conditions(conditions, (*at, "onPodConditions"))


def _exit_codes(codes: dict[str, Any], path: Path, names: list[str]) -> Iterator[Reason]:
    operator, container = text(codes, "operator"), codes.get("containerName")
    if operator == "":
        yield missing((*path, "operator"))
    elif operator is not None and operator not in ("In", "NotIn"):
        yield _none_of((*path, "operator"), operator, ("In", "NotIn"))
    if isinstance(container, str) and container not in names:
        message = f"no container of the pods is called `{shown(container)}`, there is {listed(names)}"
        reason = because((*path, "containerName"), message)
        reason.words = tuple(names)
        yield reason
    values = [value for value in sequence(codes.get("values")) if isinstance(value, int)]
    if len(values) != len(sequence(codes.get("values"))):
        return
    at = (*path, "values")
    right = sorted({value for value in values if value or operator != "In"})
    if not values:
        yield because(at, "there is no exit code in `values`")
    elif len(values) > _MOST_CODES:
        yield because(at, f"{len(values)} exit codes are more than {_MOST_CODES}")
    elif operator == "In" and 0 in values:
        message = "`In` cannot name 0, with which no container fails"
        yield _only(at, message, right) if right else because(at, message)
    elif len({*values}) < len(values):
        twice = next(value for index, value in enumerate(values) if value in values[:index])
        yield _only(at, f"the exit code {twice} stands in `values` twice", right)
    elif any(one > other for one, other in pairwise(values)):
        yield _only(at, "the exit codes in `values` do not ascend", right)


def _conditions(conditions: list[Any], path: Path) -> Iterator[Reason]:
    if len(conditions) > _MOST_RULES:
        yield because(path, f"{len(conditions)} conditions are more than {_MOST_RULES}")
    for index, item in enumerate(conditions):
        kind, status = text(mapping(item), "type"), text(mapping(item), "status")
        if kind is not None and not is_qualified(kind):
            yield because((*path, index, "type"), f"`{shown(kind)}` is no type of a condition")
        if status and status not in _STATUSES:
            yield _none_of((*path, index, "status"), status, _STATUSES)


def _success_policy(policy: dict[str, Any], count: int | None) -> Iterator[Reason]:
    path: Path = ("spec", "successPolicy", "rules")
    rules = sequence(policy.get("rules"))
    if not rules:
        yield because(path, "a `successPolicy` needs a rule")
    elif len(rules) > _MOST_RULES:
        yield because(path, f"{len(rules)} rules are more than {_MOST_RULES}")
    for index, item in enumerate(rules):
        rule, at = mapping(item), (*path, index)
        indexes, enough = rule.get("succeededIndexes"), number(rule, "succeededCount")
        if indexes is None and rule.get("succeededCount") is None:
            yield because(at, "a rule needs `succeededCount` or `succeededIndexes`")
        total = None
        if isinstance(indexes, str) and count is not None:
            total, wrong = _parsed(indexes, count)
            if wrong:
                yield because((*at, "succeededIndexes"), wrong)
        if enough is None:
            continue
        place = (*at, "succeededCount")
        if enough < 0:
            yield _said(place, f"is {enough}: negative")
        elif count is not None and enough > count:
            yield _said(place, f"is {enough}, more than {plural(count, 'completion')}")
        elif total is not None and enough > total:
            yield _said(place, f"is {enough}, more than the {total} of `succeededIndexes`")


def _parsed(indexes: str, count: int) -> tuple[int | None, str]:
    """(how many indexes a text such as ``0,2-4`` names, what is wrong with it)."""
    if len(indexes) > _MOST_INDEXES:
        return None, f"the text has {len(indexes)} characters, at most {_MOST_INDEXES} are allowed"
    total, last = 0, -1
    for interval in indexes.split(",") if indexes else ():
        ends = interval.split("-")
        numbers = [int(digits) for one in ends if _is_number(digits := one.removeprefix("+"))]
        if len(numbers) != len(ends) or len(ends) > 2:
            return None, f"`{shown(interval)}` is neither an index nor two of them with `-` between"
        if numbers[-1] >= count:
            return None, f"there is no index {numbers[-1]} among {plural(count, 'completion')}, which begin at 0"
        if numbers[0] <= last or (len(numbers) == 2 and numbers[0] >= numbers[1]):
            return None, f"the indexes in `succeededIndexes` do not ascend: `{shown(interval)}`"
        last = numbers[-1]
        total += last - numbers[0] + 1
    return total, ""


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.isdigit() and len(digits) < 12
