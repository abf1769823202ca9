"""What a cluster profile says of queues and no scheduler has: found at the line, with the line to write."""

from __future__ import annotations

import pytest

from specgen.diagnostics.model import ERROR, WARNING
from specgen.profile.library import check
from specgen.source import Source

HEAD = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: lab}\n"


def found(text: str) -> list[tuple[str, str, str, list[str]]]:
    """(severity, path, message, helps) of what a cluster profile's ``scheduling`` brings."""
    _, findings = check(Source("cluster.yaml", f"{HEAD}scheduling: {text}\n"))
    return [(one.severity, ".".join(map(str, one.place.path)), one.message, one.helps) for one in findings]


@pytest.mark.parametrize("gang", ["", "gang: kueue, "])
@pytest.mark.parametrize(
    ("queue", "at"),
    [
        ("{quota: {a/b: 4}, borrow: {a/b: 2}}", "borrow"),
        ("{flavors: {h100: {quota: {a/b: 4}, borrow: {a/b: 2}}}}", "flavors.h100.borrow"),
    ],
)
def test_a_limit_of_what_nobody_lends(gang: str, queue: str, at: str) -> None:
    message = "`borrow` limits what the queue `team` borrows, and it is in no cohort that lends to it"
    helps = ["`cohort: all` in `team` says with whom it shares", "without `borrow` it has its `quota` alone"]
    text = f"{{{gang}queues: {{team: {queue}, other: {{cohort: all}}}}}}"
    assert found(text) == [(ERROR, f"scheduling.queues.team.{at}", message, helps)]
    assert found(text.replace("team: {", "team: {cohort: all, ")) == []


def test_a_limit_of_what_nobody_borrows() -> None:
    message = "`lend` limits what the queue `team` lends, and it is in no cohort that borrows of it"
    helps = ["`cohort: NAME` in `team` says with whom it shares", "without `lend` it has its `quota` alone"]
    text = "{queues: {team: {quota: {a/b: 4}, lend: {a/b: 2}}}}"
    assert found(text) == [(ERROR, "scheduling.queues.team.lend", message, helps)]
    assert found(text.replace("lend", "cohort: all, lend")) == []


def test_evicting_while_borrowing_without_taking_back() -> None:
    message = "the queue `team` evicts others while it borrows, and takes nothing of its own back"
    helps = ["`reclaimWithinCohort: LowerPriority` beside it takes back what is the queue's own"]
    for reclaim in ("", "reclaimWithinCohort: Never, ", "reclaimWithinCohort: Any, "):
        evicts = f"{{{reclaim}borrowWithinCohort: {{policy: LowerPriority}}}}"
        said = found(f"{{queues: {{team: {{cohort: all, preemption: {evicts}}}}}}}")
        where = "scheduling.queues.team.preemption.borrowWithinCohort"
        assert said == ([] if "Any" in reclaim else [(ERROR, where, message, helps)])


def test_a_preference_of_a_queue_that_looks_no_further() -> None:
    message = "`preference` chooses between flavors, and the queue `team` stops at the first that will do"
    text = "{queues: {team: {quota: {a/b: 4}, fungibility: {preference: PreemptionOverBorrowing}}}}"
    assert [one[1:3] for one in found(text)] == [("scheduling.queues.team.fungibility.preference", message)]
    assert found(text.replace("{preference", "{whenCanBorrow: TryNextFlavor, preference")) == []
    stops = "{whenCanBorrow: TryNextFlavor, whenCanPreempt: MayStopSearch, preference"
    assert len(found(text.replace("{preference", stops))) == 1


def test_words_of_kueue_beside_another_scheduler() -> None:
    text = "{gang: volcano, queues: {team: {flavors: {h100: {quota: {a/b: 4, memory: 1Gi}}, h200: {quota: {a/b: 8}}}}}}"
    message = "with `gang: volcano` nothing reads `flavors` of the queue `team`: only Kueue does"
    helps = [
        "`quota: {a/b: 12, memory: 1Gi}` in their place is the most of the queue",
        "`gang: kueue` if Kueue lets these jobs begin",
    ]
    assert found(text) == [(WARNING, "scheduling.queues.team.flavors", message, helps)]
    assert found(text.replace("volcano", "kueue")) == []
    assert found("{gang: volcano, queues: {team: {quota: {a/b: 4}}}}") == found("{queues: [team]}") == []
    both = "{gang: kai, queues: {team: {cohort: all, borrow: {a/b: 1}}}}"
    assert [one[2] for one in found(both)] == [
        "with `gang: kai` nothing reads `cohort` and `borrow` of the queue `team`: only Kueue does"
    ]


def test_words_of_volcano_beside_another_scheduler() -> None:
    queue = "{quota: {a/b: 4}, weight: 2, reclaimable: false}"
    message = "with `gang: kueue` nothing reads `weight` and `reclaimable` of the queue `team`: only Volcano does"
    helps = ["`gang: volcano` if Volcano lets these jobs begin"]
    where = "scheduling.queues.team.weight"
    assert found(f"{{gang: kueue, queues: {{team: {queue}}}}}") == [(WARNING, where, message, helps)]
    assert found(f"{{gang: volcano, queues: {{team: {queue}}}}}") == []
    assert found(f"{{queues: {{team: {queue}}}}}") == []


SHARED = "research: {quota: {a/b: 4}, localQueues: "


@pytest.mark.parametrize(
    ("queues", "at", "message"),
    [
        (
            SHARED + "{x: {namespaces: [m, k]}}}, vision: {localQueues: {x: {namespaces: [k]}}}",
            "vision.localQueues.x",
            "in the namespace `k` `x` leads to the queue `research` and to `vision`",
        ),
        (
            SHARED + "[x]}, x: {quota: {a/b: 1}}",
            "x",
            "in every namespace `x` leads to the queue `research` and to `x`",
        ),
        (
            SHARED + "[x]}, vision: {localQueues: [w, x], namespaces: [k]}",
            "vision.localQueues.1",
            "in the namespace `k` `x` leads to the queue `research` and to `vision`",
        ),
        (SHARED + "{x: {namespaces: [m]}}}, vision: {localQueues: {x: {namespaces: [k]}}}", "", ""),
        (SHARED + "[x, w], namespaces: [m]}, x: {namespaces: [k]}", "", ""),
    ],
)
def test_a_local_queue_that_leads_to_two(queues: str, at: str, message: str) -> None:
    made = [(where, said) for _, where, said, _ in found(f"{{gang: kueue, queues: {{{queues}}}}}")]
    assert made == ([(f"scheduling.queues.{at}", message)] if at else [])


def test_local_queues_beside_another_scheduler() -> None:
    message = "with `gang: volcano` nothing reads `localQueues` of the queue `research`: only Kueue does"
    assert [one[2] for one in found(f"{{gang: volcano, queues: {{{SHARED}[x]}}}}}}")] == [message]
