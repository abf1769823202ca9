"""Exit codes, and the one exception that carries them from wherever a job ends to the way out."""

from __future__ import annotations

from collections.abc import Sequence

DONE, USAGE, DATA, PROGRAM, OUTPUT, DISAGREE, HARDWARE, NOT_FINITE, NO_PROGRESS = 0, 64, 65, 70, 74, 76, 78, 79, 81
INTERRUPTED, PEER, STOPPED = 130, 138, 143

# 130, 137, 138 and 143 are the only codes that every operator restarts under `restartPolicy: ExitCode`
# (kubeflow/common 0.4.1 lists exactly these; from 0.4.3 on it is every code of 128 and above).
MEANING: dict[int, tuple[str, str]] = {
    DONE: ("done", "all steps done, final checkpoint and report written"),
    USAGE: ("permanent", "arguments or environment contradict"),
    DATA: ("permanent", "data missing, damaged or different between ranks"),
    PROGRAM: ("permanent", "exception in the program"),
    OUTPUT: ("permanent", "checkpoint or output cannot be written"),
    DISAGREE: ("permanent", "ranks disagree on world size, rank, versions or arguments"),
    HARDWARE: ("permanent", "GPU, NCCL library, HCA or limit not as expected"),
    NOT_FINITE: ("permanent", "loss not finite"),
    NO_PROGRESS: ("permanent", "no committed progress in `--max-attempts` attempts"),
    INTERRUPTED: ("retryable", "stopped by SIGINT, state saved"),
    PEER: ("retryable", "peer lost, rank stuck, or rendezvous timeout"),
    STOPPED: ("retryable", "stopped by SIGTERM or SIGUSR1, state saved"),
}
# What gloo, NCCL and the store say when the other end is gone or silent.
SYMPTOMS = (
    *("connection reset", "connection closed", "connection refused", "timed out waiting", "broken pipe"),
    *("gloo", "nccl", "wait timeout", "socket timeout", "failed to recv", "failed to send"),
)

# What CUDA and DataLoader say when the machine is to blame, or took a worker away: another node may do better. Kept to
# texts that a mistake of the program does not bring about (an illegal address is one).
MACHINE = (
    *("uncorrectable ecc error", "unspecified launch failure", "hardware error", "fallen off the bus", "nvlink error"),
    *("cuda-capable device(s) is/are busy or unavailable", "is killed by signal: killed"),
)


class Fault(Exception):
    """A reason to leave, the good end with code 0 among them."""

    def __init__(self, code: int, reason: str, culprits: Sequence[int] = (), remedy: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason  # one line of text
        self.culprits = tuple(culprits)  # the ranks where it began, as far as it is known
        self.remedy = remedy  # what to do about it, empty where that is plain or unknown

    def line(self) -> str:
        kind = MEANING.get(self.code, ("permanent",))[0]
        return f"exit {self.code} ({kind}): {self.reason}" + (f"; {self.remedy}" if self.remedy else "")


def is_peer_error(error: BaseException) -> bool:
    """A broken connection to another rank: a symptom, not a cause."""
    if type(error).__name__ in {"DistBackendError", "DistNetworkError", "DistStoreError"}:
        return True
    return isinstance(error, RuntimeError) and any(mark in str(error).lower() for mark in SYMPTOMS)


def is_hardware(text: str) -> bool:
    """Whether an error's text speaks of a failed device, or of a loader worker that was killed."""
    return any(mark in text.lower() for mark in MACHINE)


def first_line(error: BaseException) -> str:
    """The cause in one line: of an exception that carries another, as a loader worker's does, that of the other."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = str(error).strip()
    head, carried, traceback = text.partition("Original Traceback (most recent call last):")
    if carried:  # torch._utils.ExceptionWrapper: the worker's traceback, with the exception at its end
        ends = [line for line in traceback.splitlines() if line[:1].strip()]
        where = head.removeprefix("Caught ").partition(" in ")[2].strip().rstrip(".")
        return f"{ends[-1][:300]} (in {where})" if ends else head[:300].strip()
    return f"{type(error).__name__}: {text.partition(chr(10))[0][:300]}".rstrip(": ")
