"""Why a script ended: its exit status, what it said last, and the exit code that the operator's restart rule needs."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

from trainer.faults import DONE, INTERRUPTED, PEER, PROGRAM, STOPPED, SYMPTOMS, is_hardware
from trainer.guard import torchrun

# What every operator restarts under `restartPolicy: ExitCode`; 1 to 127 no operator does, and the rest only some.
RETRYABLE = (INTERRUPTED, 137, PEER, STOPPED)
# the last line of a traceback; in a process of a group, torch/distributed/distributed_c10d.py (2.13, `_distributed_
# excepthook`) puts `[rank1]: ` before each line of one that nobody took
_EXCEPTION = re.compile(
    r"^(?:\[(?:rank(\d+)|\w+)\]:\s*)?([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning)\b.*)$", re.MULTILINE
)
# accelerate's own launchers (huggingface/accelerate 1.15, commands/launch.py, `simple_launcher`, `deepspeed_launcher`)
# raise this of the process that they started, and leave with 1.
_HANDED_ON = re.compile(
    r'commands/launch\.py", line \d+, in \w+_launcher\b.*'
    r"CalledProcessError: .* (?:died with <Signals\.\w+: (\d+)>|returned non-zero exit status (\d+))\.",
    re.DOTALL,
)
# of the launchers' own, which say nothing of the cause
_LAUNCHERS_OWN = ("ChildFailedError", "CalledProcessError")
# What the interpreter dies of when native threads and libraries outlive it.
_CRASHES = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE)
_BY_SIGNAL = (*_CRASHES, signal.SIGKILL, signal.SIGTERM)
# faulthandler's line of a frame, which in a traceback has a comma
_RUNNING = re.compile(r"^Fatal Python error: .*^  File .*, line \d+ in <module>$", re.DOTALL | re.MULTILINE)
# the trainer's own verdict, where it is the script
_TRAINERS_OWN = re.compile(r"^trainer: (?:rank .*?: )?exit \d+ \(\w+\): (.*)$", re.MULTILINE)
READ_LOG = "read that pod's log and last state (OOMKilled, Evicted)"


@dataclass(frozen=True)
class End:
    """The end of a script."""

    code: int  # the guard's own exit code for it
    reason: str  # one line, to stand behind the member's name
    symptom: bool = False  # a broken connection to a peer: the cause is elsewhere
    remedy: str = ""


def of_script(status: int, said: str, retry_codes: tuple[int, ...] = (), several: bool = False) -> End:
    """``status``: as subprocess has it, negative for a signal; ``said``: the end of what came on stderr; ``several``:
    ranks that one launcher started, of which each may have said something."""
    if status == 0:
        return End(DONE, "script done")
    handed, rank = _HANDED_ON.search(said), ""
    if handed:
        status = int(handed[2]) if handed[2] else -int(handed[1])
    if 256 - status in _BY_SIGNAL:  # deepspeed's launcher (0.19.8, launcher/launch.py) has sys.exit() of a rank's -9
        status -= 256
    exceptions = [text for _, text in _EXCEPTION.findall(said)]
    # the first one is the cause: launchers raise their own after it
    last = exceptions[0] if handed and exceptions[1:] else exceptions[-1] if exceptions else ""
    if death := torchrun.cause(said, _of_programs, _is_symptom):  # torchrun itself leaves with 1, whatever its ranks do
        rank, status, last = f"rank {death.rank}: ", death.status, death.words
    elif several:  # of the ranks that speak here, one may have lost the other
        last = next((text for _, text in _of_programs(said) if not _is_symptom(text)), last)
    last = last[:300]
    own = _TRAINERS_OWN.findall(said)
    last = own[-1][:300] if own else last
    crash = _teardown_crash(status, said) if last and not any(own in last for own in _LAUNCHERS_OWN) else ""
    if crash:
        status = 1  # the interpreter's own status for an exception that nobody took
    how = f"{rank}script exited with {status}" if status > 0 else f"{rank}script killed by {signal_name(-status)}"
    reason = (f"{how}: {last}" if last else how) + crash
    low = (last or said[-2000:]).lower()
    if status in retry_codes:
        return End(PEER, reason)
    if is_hardware(low):
        return End(PEER, reason, remedy="another node may help")
    if status in (-signal.SIGKILL, 128 + signal.SIGKILL):
        return End(PEER, reason, remedy=READ_LOG)
    if status in RETRYABLE:
        return End(status, reason)
    if -status in (signal.SIGTERM, signal.SIGINT):
        return End(128 - status, reason)
    if _is_symptom(low):
        return End(PEER, reason, symptom=True)
    return End(status if 0 < status < 128 else PROGRAM, reason)


def _of_programs(said: str) -> list[tuple[str, str]]:
    """The exceptions that are not a launcher's own, each with the rank that raised it where its lines are marked."""
    return [(rank, text) for rank, text in _EXCEPTION.findall(said) if not any(own in text for own in _LAUNCHERS_OWN)]


def _teardown_crash(status: int, said: str) -> str:
    """Of what signal the process died once an exception had ended its Python, to be added to the reason; else empty.

    Where Python was still running the script, faulthandler's dump has its outermost frame; in a teardown, with or
    without functions of ``atexit``, that frame is gone. An exception that was caught and printed is then no cause.
    """
    number = -status if status < 0 else status - 128
    if number not in _CRASHES or _RUNNING.search(said):
        return ""
    return f" ({signal_name(number)} while it was torn down)"


def _is_symptom(text: str) -> bool:
    return any(mark in text.lower() for mark in SYMPTOMS)


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
