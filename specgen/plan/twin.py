"""The twin of a job that tries its nodes: the job's own pods, devices, mounts and environment, another program.

It is the profile with a few words more, as ``--set`` has them: whatever else becomes of the job becomes of its twin.
Read from `python -m trainer contract`: `preflight`.
"""

from __future__ import annotations

from specgen.operators.controllers import SYNC_WAVE
from specgen.plan.guard import in_image
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import JobDraft

SUFFIX = "-preflight"
LIMIT = "30m"  # until pods that never meet are ended
# Of the wire's rate: what even links reach, and one that lost a lane or half its rate does not (trainer/suspects.py).
OF_THE_WIRE = 0.7
_PROGRAM = ("trainer", "preflight")
# What of a job is of its own program, and what would begin the twin again or hold it back.
_OF_THE_PROGRAM = (("args",), ("elastic",))
_OF_ITS_END = ("restarts", "backoffLimit", "restartAll", "suspend", "success", "preStop", "ttl")
_RANKLESS = ("ps", "evaluator")
ENDLESS = ("VolcanoJob",)  # it has no deadline


def refused(draft: JobDraft) -> list[Finding]:
    """SG208 for jobs whose ranks the twin's program would not find together."""
    launcher = any(role.word == draft.kind.launcher for role in draft.roles)
    why = ""
    if launcher:
        why = "a launcher starts the ranks, and nothing tells them where to meet"
    elif draft.kind.name == "MSJob":
        why = "the scheduler of an MSJob takes part, and ends with the workers alone"
    elif draft.generated is not None:
        why = "its name is made by the API server, and its twin has none to be named after"
    if not why:
        return []
    place = draft.job.place(("target",) if draft.generated is None else ("metadata", "generateName"))
    return [codes.NOT_FOR_TARGET.at(place, f"no preflight is written for this job: {why}")]


def asked(draft: JobDraft) -> list[Finding]:
    """SG469 at the job's image where nothing says that it holds the twin's program."""
    needs = "it needs PyTorch and numpy besides"
    return in_image(draft.job.place(("image",)), "`specgen preflight`", needs, draft.roles)


def expected(draft: JobDraft) -> str:
    """GB/s that two nodes must exchange, by the HCAs of their pods and the rate of one; empty where nobody says it.

    NCCL gives each GPU an HCA near it, so more of them than ranks do not count.
    """
    count, rates = draft.world, list[float]()
    for role in draft.roles:
        devices = role.devices
        hca = devices.pool.hca if devices.pool is not None else None
        ranks = count.procs_per_pod if count.counted else devices.gpu
        if hca is None or hca.rate is None or not devices.hca or not ranks:
            return ""
        rates.append(min(devices.hca, ranks) * hca.rate / 8)
    return f"{OF_THE_WIRE * min(rates):.4g}" if rates else ""


def _adapters(draft: JobDraft) -> int:
    """The HCAs that each pod must find, of those that NCCL may use: one where nobody can count them."""
    counts = []
    for role in draft.roles:
        given = role.env.get("NCCL_IB_HCA")
        rule = str(given.value.get("value") or "") if given is not None else ""
        listed = len(rule[1:].split(",")) if rule.startswith("=") else role.devices.hca if given is None else 1
        if role.devices.hca:
            counts.append(min(role.devices.hca, listed))
    return max(min(counts, default=1), 1)


def settings(draft: JobDraft, least: str = "") -> list[str]:
    """The words, each as `path=value`. ``least``: GB/s that each pair of nodes must exchange, as written."""
    data, count = draft.job.layers.data, draft.world
    several = not count.counted or count.procs_per_pod > 1
    torchrun = several and "torchrun" in draft.kind.starters
    program = [*(["-m"] if torchrun else ["python", "-u", "-m"]), *_PROGRAM]
    rdma = bool(draft.job.job.resources.hca) and draft.job.job.communication.rdma is not False
    if count.pods > 1:  # one pod has no other to exchange with, and is checked alone
        least = least or (expected(draft) if rdma else "")
        program += ["--pairs", *([f"--min-busbw={least}"] if least else [])]
    if rdma:
        program.append(f"--expect-hca={_adapters(draft)}")
    written = data.get("metadata") or {}
    wave = str((written.get("annotations") or {}).get(SYNC_WAVE, "0"))
    before = int(wave) - 1 if wave.lstrip("-").isdecimal() else -1
    found = [
        f"metadata.name={written.get('name', draft.job.name)}{SUFFIX}",
        f"metadata.annotations[{SYNC_WAVE}]={before}",
        f"command=[{', '.join(program)}]",
        f"start={'torchrun' if torchrun else 'self' if several else 'none'}",
        "lifecycle.restart=Never",
        # torchrun makes 1 of every exit code, and the guard makes of it what it was
        f"guard={'true' if torchrun else 'false'}",
    ]
    found += [f"lifecycle.deadline={LIMIT}"] if draft.kind.name not in ENDLESS else []
    found += [f"{'.'.join(path)}=null" for path in _OF_THE_PROGRAM if _has(data, path)]
    found += [f"lifecycle.{word}=null" for word in _OF_ITS_END if _has(data, ("lifecycle", word))]
    for role, words in (data.get("roles") or {}).items():
        if role in _RANKLESS:
            found.append(f"roles.{role}=null")
            continue
        own = ("command", "args")
        found += [f"roles.{role}.{word}=null" for word in own if _has(words, (word,))]
        found += [f"roles.{role}.lifecycle=null"] if _has(words, ("lifecycle",)) else []
    return found + [f"vars.{name}=null" for name in _of_the_program(data)]


def _of_the_program(data: dict[str, Any]) -> list[str]:
    """The job's variables that its own program alone uses: the twin has no string for them."""
    written = data.get("vars") or {}

    def used(words: dict[str, Any]) -> str:
        return str({key: words[key] for key in words if key not in ("vars", "command", "args", "roles")})

    texts = [used(data), *(used(words) for words in (data.get("roles") or {}).values() if isinstance(words, dict))]
    for _ in written:  # one may stand in the text of another
        texts += [str(text) for name, text in written.items() if any(f"$<{name}>" in one for one in texts)]
        texts = list(dict.fromkeys(texts))
    return [name for name in written if not any(f"$<{name}>" in one for one in texts)]


def _has(words: Any, path: tuple[str, ...]) -> bool:
    for step in path:
        if not isinstance(words, dict) or words.get(step) is None:
            return False
        words = words[step]
    return True
