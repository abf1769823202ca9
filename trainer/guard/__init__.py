"""The runtime around any script: ``python -m trainer guard [options] -- train.py …``. Sockets and the standard library.

One guard stands in front of each pod's launcher (torchrun, accelerate, deepspeed), or of each rank where every rank is
started for itself (one process a pod, mpirun). In the order of a guard's life:

- ``options``: its command line. ``members``: which of the guards it is, and where they meet.
- ``hub``: where they meet, on member 0: the absent are named, and one verdict is found for all. ``judge``: by what.
- ``link``: a member's connection to it, which is its life line.
- ``script``: the processes of the script: started, watched, ended, none left behind. ``cause``: why it ended;
  ``torchrun``: which rank's end was the cause.
- ``desk``: takes the script's own calls. ``calls``: those calls, on the script's side.
- ``course``: from start to exit. ``last_words``: what the pod's log and its termination message say.

Without a change in the script: absent members, an end of any process that ends the script, killed and frozen pods,
frozen processes, a job that idles as a whole (``--idle-limit``), one exit code for all. Three calls in the script tell
more, and do nothing where no guard runs::

    from trainer.guard import committed, phase, should_stop

    for step, batch in enumerate(loader):
        phase("compute", step)  # a rank too long in a phase is stuck; `sync` is waiting for others
        ...
        phase("data", step)
        if should_stop():  # true in the same iteration on all ranks
            save(step)
            committed(step)  # named in the verdict
            break

Not seen: a rank that computes for ever without a call of ``phase``, as a collective of NCCL that waits on the GPU does.
The stacks need a CPython that reads ``PYTHONFAULTHANDLER``; under ``python -I`` or ``-E`` there are none.
"""

from __future__ import annotations

from trainer.guard.calls import committed, phase, should_stop

__all__ = ["committed", "phase", "should_stop"]
