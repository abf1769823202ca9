"""The training program that runs in the pods: one job, the same on sixteen GPUs and on a laptop.

In the order in which a process goes through them:

- ``config``: each command's configuration, a field a flag. ``flags``: what they need and what contradicts.
- ``cli``: their check against the environment. ``contract``: all of it as JSON.
- ``env``: rank, world size and master from the launcher's variables. ``spawn``: a pod's processes without torchrun.
- ``job``: the course of a job, from the signals to the one way out. ``context``: what its parts share.
- ``faults``: exit codes; ``measured``: what ends a job with which, and how soon. ``signals``: how it is asked to stop.
- ``agree``: one store on which ranks meet, compare, and find the verdict. ``net``: its sockets.
- ``preflight``: the pod is checked. ``files``: the data directory. ``data``: batches of it.
- ``group``: the process group. ``training``: the model and one step of it. ``models``: networks. ``schedule``: the
  learning rate. ``loop``: all steps.
- ``history``: attempts and lineages of before. ``ckpt``: files of checkpoints. ``resume``: from which all ranks go on.
- ``bench``: collectives, timed. ``pairs``: nodes, two by two. ``suspects``: which of them is the bad one.
- ``watch``: the watchdog beside all of it. ``last_resort``: for where no Python runs.
- ``interval``: what is measured every few steps. ``metrics``: how it is kept.
- ``report``, ``svg``: what is made of that at the end.
- ``guard``: what of all this a script of somebody else's can have.

``config``, ``flags``, ``cli``, ``contract``, ``env``, ``spawn``, ``faults``, ``history`` and ``signals`` load no torch.
``main_allreduce`` and ``main_mnist`` are scripts by the names that manifests use.
"""

from __future__ import annotations

__version__ = "1.0.0"
