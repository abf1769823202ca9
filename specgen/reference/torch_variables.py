"""Variables that PyTorch itself reads, and operators do not set.

Meanings are those of PyTorch 2.13: torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp and FlightRecorder.hpp for
``TORCH_NCCL_*`` and ``TORCH_FR_*``, torch/distributed/elastic/agent/server/local_elastic_agent.py and api.py and
torch/distributed/elastic/multiprocessing/api.py and torch/distributed/run.py for those of torchrun;
torch/csrc/distributed/c10d/init.cpp for gloo's.
"""

from __future__ import annotations

from specgen.reference.page import Page

# Name → what it is for, and the names to look up besides.
TORCH_VARIABLES: dict[str, tuple[str, str]] = {
    "GLOO_SOCKET_IFNAME": (
        "The interface by which gloo's ranks meet, by its whole name; several stand with commas between.",
        "cluster.pools.fabric.interface NCCL_SOCKET_IFNAME",
    ),
    "TORCHELASTIC_ENABLE_FILE_TIMER": ("Whether torchrun's agent watches timers that its processes set.", ""),
    "TORCHELASTIC_HEALTH_CHECK_PORT": ("The port on which torchrun's agent answers health checks.", ""),
    "TORCHELASTIC_SIGNALS_TO_HANDLE": ("The signals that torchrun passes on to the processes that it starts.", ""),
    "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": (
        "The seconds that torchrun gives its processes between SIGTERM and SIGKILL.",
        "SG498 lifecycle.grace",
    ),
    "TORCH_ELASTIC_WORKER_IDENTICAL": ("Tells torchrun's agent that all of them start equally many processes.", ""),
    "TORCH_FR_BUFFER_SIZE": ("The most events that the flight recorder keeps; see `TORCH_NCCL_DUMP_ON_TIMEOUT`.", ""),
    "TORCH_NCCL_ASYNC_ERROR_HANDLING": (
        "What the watchdog does at an error or time-out of NCCL; 3, the default, ends the process without cleaning up.",
        "guard",
    ),
    "TORCH_NCCL_AVOID_RECORD_STREAMS": (
        "Whether tensors are kept by references, and not by records of streams, until a collective has ended.",
        "",
    ),
    "TORCH_NCCL_BCAST_UNIQUEID": ("Whether NCCL's unique id is broadcast to all ranks.", ""),
    "TORCH_NCCL_BLOCKING_WAIT": ("Whether `wait()` of a collective blocks until it has ended or timed out.", "guard"),
    "TORCH_NCCL_COORD_CHECK_MILSEC": ("How often the monitor looks for signals of other ranks, in milliseconds.", ""),
    "TORCH_NCCL_CUDA_EVENT_CACHE": ("Whether the watchdog keeps CUDA events to use them again.", ""),
    "TORCH_NCCL_DESYNC_DEBUG": (
        "Whether a time-out reports which ranks are out of step; goes with `TORCH_NCCL_ASYNC_ERROR_HANDLING`.",
        "guard",
    ),
    "TORCH_NCCL_DUMP_ON_TIMEOUT": (
        "Whether a time-out writes what the flight recorder holds; takes `TORCH_NCCL_ENABLE_MONITORING` and a buffer.",
        "guard",
    ),
    "TORCH_NCCL_ENABLE_MONITORING": (
        "Whether a thread ends the process when the watchdog is stuck, after `TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC`.",
        "guard",
    ),
    "TORCH_NCCL_ENABLE_TIMING": ("Whether the time of each collective is measured.", ""),
    "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": ("The seconds after which a stuck watchdog ends the process.", "guard"),
    "TORCH_NCCL_HIGH_PRIORITY": ("Whether collectives run on CUDA streams of high priority.", ""),
    "TORCH_NCCL_LOG_CPP_STACK_ON_UNCLEAN_SHUTDOWN": ("Whether an unclean end prints the C++ stack.", ""),
    "TORCH_NCCL_NAN_CHECK": ("Whether data of collectives are looked through for NaN.", ""),
    "TORCH_NCCL_PROPAGATE_ERROR": ("Whether an error of NCCL is told to all ranks.", ""),
    "TORCH_NCCL_RANKS_PER_ROOT": ("How many ranks each root covers while a communicator is set up.", ""),
    "TORCH_NCCL_RETHROW_CUDA_ERRORS": ("Whether the watchdog raises errors of CUDA again.", ""),
    "TORCH_NCCL_TRACE_BUFFER_SIZE": (
        "The most events that the flight recorder keeps of collectives, 0 for none.",
        "guard",
    ),
    "TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": ("How long a time-out waits for the dump, in milliseconds.", ""),
}


def torch_page(name: str) -> Page:
    """The page of a variable of PyTorch."""
    meaning, besides = TORCH_VARIABLES[name]
    found = Page(name, "a variable of PyTorch", meaning)
    found.add("Said in", f"`env` of a job: `env: {{{name}: …}}`.")
    found.add("See", [f"`{one}`" for one in besides.split()])
    return found
