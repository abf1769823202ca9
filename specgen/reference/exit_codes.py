"""The page of the trainer's exit codes: what ends a job with which, and what each kind's operator makes of it.

The codes are those that the trainer tells of itself, what ends a job was measured (``trainer contract``, of which
``tables.trainer_contract`` is a copy); what follows is read off an example, compiled and expanded for each kind and
each restart policy that it takes.
"""

from __future__ import annotations

from specgen.operators import lifecycle as facts
from specgen.reference.becoming import targets
from specgen.reference.page import Page
from specgen.schema.wording import folded
from specgen.tables.trainer_contract import CONTRACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.lifecycle import Failure, Lifecycle, Step
    from specgen.reference.becoming import Compiler

NAME = "exit codes"
_NAMES = ("exitcode", "exitcodes")
_POLICIES = ("Never", "OnFailure", "ExitCode")
# 1 is torchrun's, whatever its processes ended with; 137 that of a process that the kernel kills, out of memory say.
_OTHERS = {1: ("", "torchrun's own, whatever its processes end with"), 137: ("retryable", "killed by the kernel")}
_RETRYABLE, _PERMANENT = "retryable", "permanent"
_OUTCOMES = {
    facts.RECREATED: "the pod is created again",
    facts.REPLACED: "another pod comes",
    facts.RESTARTED: "all pods of the JobSet are created again",
    facts.ANEW: "all pods of the job are created again",
    facts.FAILED: "the job fails",
    facts.STUCK: "the job stays in Restarting for ever",
    facts.LEFT: "the job goes on without the pod",
}


def codes() -> dict[int, tuple[str, str]]:
    """Exit code → (class, what it means), those of whoever stands around the trainer among them."""
    own = {int(code): (str(one["class"]), str(one["meaning"])) for code, one in CONTRACT["exit_codes"].items()}
    return dict(sorted((own | _OTHERS).items()))


def is_asked(subject: str) -> bool:
    """Whether somebody looks up the page, by its name or one of its codes."""
    return folded(subject) in _NAMES or (subject.isascii() and subject.isdigit() and int(subject) in codes())


def exit_codes_page(compiler: Compiler) -> Page:
    """The codes, what was measured, and what becomes of a pod that ends with each."""
    found = Page(NAME, "of the trainer", "With what the trainer and `trainer guard` end, on all ranks alike.")
    known = codes()
    found.add("Codes", [f"`{code}`{f' ({kind})' if kind else ''}: {text}" for code, (kind, text) in known.items()])
    found.add(
        "What ends a job",
        "Measured with two to four ranks on one machine and limits of 2 and 3 seconds; on a cluster the limits are "
        "those of `--step-timeout`, `--rdzv-timeout` and `--read-timeout`.",
        [_measured(one["what"], one["exit"], one["seconds"]) for one in CONTRACT["measured"]],
    )
    follows: dict[str, list[str]] = {}
    for name, target in targets().items():
        for policy in _POLICIES:
            outcome = compiler.outcome({"lifecycle": {"restart": policy}}, {}, target)
            life = outcome.expansion.lifecycle if outcome.expansion is not None else None
            if life is not None:
                follows.setdefault(_follows(life), []).append(f"`{name}` with `{policy}`")
    found.add(
        "What operators make of it",
        "By kind and `lifecycle.restart`; kinds that do not take a policy are not named with it. A permanent code is "
        "worth no restart: where one follows, `--max-attempts` ends the attempts with `81`.",
        [f"{', '.join(kinds)}: {text}" for text, kinds in follows.items()],
    )
    return found


def _measured(what: str, code: int, seconds: float | None) -> str:
    return f"{what}: `{code}`" + ("" if seconds is None else f", all ranks have left after {seconds} s")


def _follows(life: Lifecycle) -> str:
    """What becomes of a job for each code, codes that fare alike together."""
    role = life.success.roles[0] if life.success.roles else life.failures[0].roles[0]
    alike: dict[str, list[int]] = {}
    for code in codes():
        if code:
            alike.setdefault(_said(life.failure(role, code, crowded=True)), []).append(code)
    if len(alike) == 1:
        return next(iter(alike))
    return "; ".join(f"after {', '.join(map(_code, given))} {what}" for what, given in alike.items())


def _said(failure: Failure | None) -> str:
    if failure is None:
        return "nothing is known"
    if failure.restarts:
        return "the container is started again in place, whatever the code"
    return ", then ".join(_step(step) for step in failure.steps if step.times != 0)


def _step(step: Step) -> str:
    times = "" if step.times is None else f", at most {step.times} times"
    return f"{_OUTCOMES[step.outcome]}{times}"


def _code(code: int) -> str:
    return f"`{code}`"
