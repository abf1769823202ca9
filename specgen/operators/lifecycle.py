"""What becomes of a job after it has started, as facts: who decides that it succeeded, what a failure does, what stays.

Each operator's facts are computed in ``lifecycle`` of its folder and held against the recorded stages by
``tests/operators/test_lifecycle.py``; ``cli.lifecycle`` says them in words.
"""

from __future__ import annotations

from specgen.operators.kubernetes.objects import LONGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    # first and last exit code, both included
    Codes: TypeAlias = tuple[tuple[int, int], ...]

# Who has to succeed: every pod of the roles, the first pod, any one pod, all pods of any one Job, all of any one role,
# or nobody ever.
EVERY, FIRST, ANY, ANY_JOB, ANY_ROLE, NEVER = "every", "first", "any", "any job", "any role", "never"

# What follows a pod in phase Failed: it is deleted and created again under its name; another pod comes beside it; all
# pods of the JobSet, or of another job, are deleted and created again; the job fails; it says Restarting for ever, and
# nothing is created; the pod is left as it is, and the job goes on.
RECREATED, REPLACED, RESTARTED, ANEW = "recreated", "replaced", "restarted", "anew"
FAILED, STUCK, LEFT = "failed", "stuck", "left"

# What is deleted at the end of a job: no pod, those that have not ended, every pod, the Jobs that have not ended.
NOTHING, UNFINISHED, EVERYTHING, ACTIVE_JOBS = "nothing", "unfinished", "everything", "active jobs"

# What a limit does when it is reached: it fails the job, deletes the object of that kind, or nothing.
FAILS, NO_EFFECT = "fails", "no effect"
DELETES_JOB, DELETES_LAUNCHER, DELETES_JOBSET = "deletes job", "deletes launcher", "deletes jobset"


# What becomes of the place of a pod whose node is lost. The pod is marked for deletion once it no longer tolerates the
# taint `unreachable` (``kubernetes.bearing``); the object stays until the kubelet answers, the Node object goes, the
# node is tainted out of service, or somebody deletes the pod by force (Kubernetes 1.36, pkg/controller/tainteviction
# and podgc; its documentation, "Non-graceful node shutdown"). As long as it is there its name is taken: an operator
# that calls pods by the same names makes none in its place. A batch Job, whose pods have another name each, does so at
# once, unless it replaces failed pods alone (`podReplacementPolicy`, KEP 3939).
HELD, BESIDE = "held", "beside"

# The `backoffLimit` of a batch Job that says none (Kubernetes 1.36, pkg/apis/batch/v1/defaults.go).
BACKOFF = 6

# How a deadline is said of an operator that does not wake up for it.
AT_CHANGE = "the job fails at the first change of a pod"


def deadline_at_change(seconds: int, pods: Iterable[Mapping[str, Any]]) -> str:
    """What a deadline does of which the operator is not woken: it is seen once something of the job changes.

    pods: the pod specs of the job's roles, whose own deadlines are such a change.
    """
    own = [number(pod.get("activeDeadlineSeconds")) for pod in pods]
    after = "not before" if None in own else "the kubelet ends its pods by deadlines of their own"
    return deadline_words(seconds, f"{AT_CHANGE} that comes after {seconds} s, and {after}")


def deadline_words(seconds: int, words: str) -> str:
    """What a deadline does, in words, where it is one that is not over as soon as it begins."""
    return words if 0 < seconds <= LONGEST else f"{seconds} s are over at once: the job has failed as soon as it begins"


class Success:
    """Who decides that the job succeeded. ``how``: ``EVERY``, ``FIRST``, … of the pods of ``roles``; why: of NEVER."""

    __slots__ = ("how", "roles", "why")

    def __init__(self, how: str, roles: Sequence[str], why: str = "") -> None:
        self.how = how
        self.roles = tuple(roles)
        self.why = why


class Step:
    """One answer to failures: ``times`` it is given before the next step's turn comes, None: whenever one is needed.

    ``by``: the field that sets the number, empty where it is the outcome itself that ends things.
    """

    __slots__ = ("by", "outcome", "times")

    def __init__(self, outcome: str, times: int | None = None, by: str = "") -> None:
        self.outcome = outcome
        self.times = times
        self.by = by


class Failure:
    """What follows when a pod of one of the roles is in phase Failed.

    ``policy``: the restart policy that the manifest gives or leaves to the default; ``restarts``: codes after which the
    kubelet restarts a container in place instead, ``ALL`` or ``NONZERO``, empty: none. ``codes``: exit codes of the
    training container that this speaks of, empty: any. ``steps``: what happens first, and what when that is used up.
    ``deletes``: the failed pod goes whatever the policy of cleaning up says. ``undated``: the failed job gets no
    completionTime, so no time to live begins. ``crowded``: it holds while another pod of the role runs. ``gone``: it is
    of pods that are deleted, as by an eviction, and not of those that fail.
    """

    __slots__ = ("codes", "crowded", "deletes", "gone", "policy", "restarts", "roles", "steps", "undated")

    ALL = "all"
    NONZERO = "nonzero"

    def __init__(
        self,
        roles: Sequence[str],
        policy: str,
        *steps: Step,
        codes: Codes = (),
        restarts: str = "",
        deletes: bool = False,
        undated: bool = False,
        crowded: bool = False,
        gone: bool = False,
    ) -> None:
        self.roles = tuple(roles)
        self.policy = policy
        self.steps = steps
        self.codes = codes
        self.restarts = restarts
        self.deletes = deletes
        self.undated = undated
        self.crowded = crowded
        self.gone = gone

    def speaks_of(self, role: str, code: int) -> bool:
        """Whether a failure of a role's pod with this exit code is meant."""
        return (
            role in self.roles
            and not self.gone
            and (not self.codes or any(low <= code <= high for low, high in self.codes))
        )

    @property
    def words(self) -> tuple[object, ...]:
        """All but the roles: what roles share is said once."""
        steps = tuple((step.outcome, step.times, step.by) for step in self.steps)
        return self.policy, steps, self.codes, self.restarts, self.deletes, self.undated, self.crowded, self.gone


class End:
    """What is deleted when the job has ended, however it did.

    ``said``: the field and its value as people read them. ``roles``: those whose pods are meant, empty: all.
    ``services``: each deleted pod takes its own Service along. ``group``: whether a PodGroup goes. ``at_limit``: what
    is deleted instead where a limit ended the job. ``stays``: what stays besides pods, in words. ``endless``: roles
    whose program, the operator's own, never ends by itself.
    """

    __slots__ = ("at_limit", "deletes", "endless", "group", "roles", "said", "services", "stays")

    def __init__(
        self,
        deletes: str,
        said: str,
        *,
        roles: Sequence[str] = (),
        services: bool = False,
        group: bool = True,
        at_limit: str = "",
        stays: str = "",
        endless: Sequence[str] = (),
    ) -> None:
        self.deletes = deletes
        self.said = said
        self.roles = tuple(roles)
        self.services = services
        self.group = group
        self.at_limit = at_limit or deletes
        self.stays = stays
        self.endless = tuple(endless)


class Limit:
    """A limit that the manifest sets: its field, its value, what happens when it is reached, and how that is said.

    ``counts``: roles whose restarts are counted, where it counts restarts.
    """

    __slots__ = ("counts", "effect", "field", "value", "words")

    def __init__(self, field: str, value: int, effect: str, words: str, counts: Sequence[str] = ()) -> None:
        self.field = field
        self.value = value
        self.effect = effect
        self.words = words
        self.counts = tuple(counts)


class Lifecycle:
    """The facts of one job. ``failures``: in the order in which they are asked: the first that speaks of one counts.

    ``lost``: role → ``HELD`` or ``BESIDE``: what becomes of the place of a pod whose node is lost.
    """

    __slots__ = ("end", "failures", "limits", "lost", "success")

    def __init__(
        self,
        success: Success,
        failures: list[Failure],
        end: End,
        limits: list[Limit],
        lost: Mapping[str, str] | None = None,
    ) -> None:
        self.success = success
        self.failures = failures
        self.end = end
        self.limits = limits
        self.lost = dict(lost or {})

    def after_loss(self, role: str) -> str:
        """The outcome of a lost pod that counts as failed (``BESIDE``): of what follows any failure, the first step."""
        for one in reversed(self.failures):
            if role in one.roles and not one.codes:
                return next((step.outcome for step in one.steps if step.times != 0), REPLACED)
        return REPLACED

    def failure(self, role: str, code: int, *, crowded: bool) -> Failure | None:
        """What follows a failure; crowded: another pod of the role runs. None: nothing is known."""
        for one in self.failures:
            if one.speaks_of(role, code) and (crowded or not one.crowded):
                return one
        return None


class Counted:
    """How a limit on restarts counts an incident: a process breaks, and what trains with it ends and starts again.

    ``roles``: whose restarts it counts. ``least``: what an incident adds if all goes well, ``most``: what it adds once
    every pod of the roles has ended. Those of a synchronous training all end, so both are their number; one parameter
    server's worker ends alone. ``reached``: the job fails when the count reaches the limit, else when it exceeds it.
    ``usual``: the limit of a Job that says none; None: its pods are not a Job's.
    """

    __slots__ = ("least", "most", "reached", "roles", "usual")

    def __init__(
        self, roles: Sequence[str], least: int, most: int, *, reached: bool = True, usual: int | None = None
    ) -> None:
        self.roles = tuple(roles)
        self.least = least
        self.most = most
        self.reached = reached
        self.usual = usual

    def limit(self, incidents: int) -> int:
        """The least limit with which a job goes on after so many incidents; 0 lets none pass."""
        return self.most * incidents + self.reached if incidents else 0

    def outlives(self, limit: int) -> int:
        """The most incidents that a job with this limit goes on after."""
        return max(limit - self.reached, 0) // max(self.least, 1)


def costs(counted: Counted, limit: int) -> str:
    """The end of a sentence about a limit: what an incident counts, where that is more than one restart."""
    if counted.least < 2:
        return ""
    times = counted.outlives(limit)
    then = f"the job goes on after {times} of them" if times else "the first one fails the job"
    return f"; an incident that ends all {counted.least} pods counts {counted.least}, so {then}"


def starts_again(life: Lifecycle) -> list[str]:
    """Roles that decide on success and whose containers start again after they have ended well: it never comes."""
    return [
        role for one in life.failures if one.restarts == one.ALL for role in one.roles if role in life.success.roles
    ]


def number(value: object) -> int | None:
    """The value if it is a whole number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
