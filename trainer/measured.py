"""What ends a job, as the tests of failures saw it: written by `MEASURED=1 pytest -n 0 tests/trainer/test_failures.py`.

What happens → the exit code that all ranks leave with, and the seconds until the last one has left: after a fault in
the midst of a run those since the fault, after one at the start those since the start of the processes. Two to four
ranks on one machine, with `--step-timeout 3`, `--rdzv-timeout 2` and `--read-timeout 2`; None: nobody knows the moment.
"""

from __future__ import annotations

MEASURED: dict[str, tuple[int, float | None]] = {
    "an argument of one rank contradicts its environment": (64, 1.1),
    "one byte of one rank's data differs": (65, 0.3),
    "one rank has no data": (65, 0.3),
    "reading the data hangs at the start": (65, 2.3),
    "the program raises an exception on one rank": (70, None),
    "`--out` is another folder on each rank": (74, 5.3),
    "the disk is full for three checkpoints": (74, None),
    "ranks do not agree on the number of ranks": (76, 0.1),
    "ranks have different arguments": (76, 0.2),
    "two processes have one rank": (76, 3.1),
    "the loss is not finite for three steps": (79, None),
    "three attempts have brought no checkpoint": (81, 0.0),
    "one rank gets SIGINT, and the job is saved": (130, 0.1),
    "a rank does not come": (138, 6.2),
    "a rank is frozen": (138, 4.4),
    "a rank is killed": (138, 1.1),
    "rank 0 is killed": (138, 0.0),
    "reading the data hangs in the midst of a run": (138, None),
    "the port of rank 0 is taken": (138, 2.1),
    "one rank gets SIGTERM, and the job is saved": (143, 0.1),
    "one rank gets SIGUSR1, and the job is saved": (143, 0.1),
}
