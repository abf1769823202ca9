"""The training program that runs in the pods: one job, the same on sixteen GPUs and on a laptop.

In the order in which a process goes through them:

- ``cli``: the table of flags, their check against the environment. ``contract``: the same as JSON, for compilers.
- ``env``: rank, world size and master from the launcher's variables. ``spawn``: a pod's processes without torchrun.
- ``job``: the course of a job, from the signals to the one way out. ``faults``: exit codes. ``signals``: flags.
- ``agree``: one store on which ranks meet, compare, and find the verdict. ``net``: its sockets.
- ``preflight``: the pod is checked. ``files``: the data directory. ``data``: batches of it.
- ``group``: the process group. ``loop``: steps. ``models``: networks. ``ckpt``: checkpoints. ``bench``: collectives.
- ``watch``: the watchdog beside all of it. ``metrics``: what it writes. ``report``, ``svg``: what is made of that.

``cli``, ``contract``, ``env``, ``spawn``, ``faults`` and ``signals`` load no torch. ``main_allreduce`` and
``main_mnist`` are scripts by the names that manifests use.
"""

from __future__ import annotations

__version__ = "1.0.0"
