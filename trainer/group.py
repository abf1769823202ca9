"""The transport: which backend, whose address, the process group and its first known sum (T1, T4)."""

from __future__ import annotations

import argparse
import os
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore

from trainer import __version__, files
from trainer.cli import PER_RANK
from trainer.env import Place
from trainer.faults import DISAGREE, PEER, USAGE, Fault
from trainer.net import listen, own_address

if TYPE_CHECKING:
    from trainer.job import Context


def environment(out: str) -> dict[str, str]:
    """Set where absent. RES_OPTIONS: the store's event loop looks up the name of every peer that connects (torch 2.13),
    and one lost answer of a name server would hold up the whole rendezvous for glibc's five seconds."""
    where = os.path.join(out, "flight-nccl") if out else f"/tmp/flight-nccl-{os.getuid()}-"
    return {
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": "3",
        "TORCH_NCCL_DUMP_ON_TIMEOUT": "1",
        "TORCH_FR_BUFFER_SIZE": "2000",
        "TORCH_FR_DUMP_TEMP_FILE": where,
        "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "600",
        "RES_OPTIONS": "timeout:1 attempts:1",
    }


def backend(ctx: Context) -> None:
    """nccl where there are GPUs, else gloo; `mpi` means mpirun as launcher unless torch was built with it."""
    wanted = ctx.args.backend
    cuda = torch.cuda.is_available()
    if wanted == "mpi":
        if not dist.is_mpi_available():
            raise Fault(
                USAGE,
                "`--backend=mpi` needs a torch built with MPI: start under mpirun with "
                "`--backend=nccl` or `--backend=gloo`",
            )
    elif wanted == "auto":
        wanted = "nccl" if cuda else "gloo"
    elif wanted == "nccl" and not cuda:
        raise Fault(USAGE, f"`--backend=nccl`, but torch {torch.__version__} sees no GPU here")
    ctx.backend = wanted
    if cuda:
        ctx.device = torch.device("cuda", ctx.place.local_rank % torch.cuda.device_count())


def facts(ctx: Context) -> dict[str, Any]:
    """What must be equal on all ranks."""
    version = getattr(torch.cuda, "nccl", None)
    return {
        "torch": torch.__version__,
        "trainer": __version__,
        "backend": ctx.backend,
        "nccl": list(version.version()) if version and ctx.backend == "nccl" else None,
        "arguments": {key: value for key, value in sorted(vars(ctx.args).items()) if key not in PER_RANK},
    }


def mpi_address(place: Place, out: str) -> None:
    """mpirun gives ranks but no address: mpi4py broadcasts it, else a file keyed by this mpirun's PMIx name space."""
    if place.source != "MPI" or place.master:
        return
    if place.world == 1:
        place.master, place.port = "127.0.0.1", 0
        return
    if place.rank == 0:
        with listen(0, 1.0) as probe:
            place.port = probe.getsockname()[1]
    mine = f"{own_address('192.0.2.1', 9)} {place.port}"  # a documentation address: only the route to it is asked for
    try:
        from mpi4py import MPI  # type: ignore[import-not-found]

        text = MPI.COMM_WORLD.bcast(mine, 0)
    except ImportError:
        if not out or "PMIX_NAMESPACE" not in os.environ:
            raise Fault(
                USAGE,
                "mpirun gave no address",
                (),
                "pass `-x MASTER_ADDR -x MASTER_PORT`, install mpi4py, or give a shared --out",
            ) from None
        name = os.path.join(out, "rendezvous-" + os.environ["PMIX_NAMESPACE"].replace("/", "_"))
        if place.rank == 0:
            os.makedirs(out, exist_ok=True)
            files.write(name, mine)
        end = time.monotonic() + 60
        while not os.path.exists(name):
            if time.monotonic() > end:
                raise Fault(PEER, f"rank 0 did not write `{name}`", (0,)) from None
            time.sleep(0.05)
        with open(name, encoding="utf-8") as file:
            text = file.read()
    host, port = text.split()
    place.master, place.port = host, int(port)


def group(ctx: Context) -> None:
    """The process group on the store of the rendezvous, a gloo group of its own for control, and a first known sum."""
    args, place = ctx.args, ctx.place
    options: dict[str, Any] = {}
    if ctx.device.type == "cuda":
        torch.cuda.set_device(ctx.device)  # before any barrier: it would bind GPU 0 on all ranks
        options["device_id"] = ctx.device if ctx.backend == "nccl" else None
    dist.init_process_group(
        ctx.backend,
        store=PrefixStore(ctx.board.prefix + "pg", ctx.board.store),
        rank=place.rank,
        world_size=place.world,
        timeout=timedelta(seconds=args.start_timeout),
        **options,
    )
    ctx.control = dist.new_group(backend="gloo", timeout=timedelta(seconds=args.start_timeout))
    probe = torch.full((1 << 20,), float(place.rank + 1), device=ctx.device if ctx.backend == "nccl" else "cpu")
    begin = time.monotonic()
    dist.all_reduce(probe)
    wrong, total = int((probe != place.world * (place.world + 1) / 2).sum()), place.world * (place.world + 1) // 2
    if wrong:
        raise Fault(DISAGREE, f"a sum over all ranks is wrong in {wrong} of {1 << 20} places, {total} expected")
    if place.rank == 0:
        ctx.log.say(
            f"{ctx.backend} over {place.world} ranks ({place.source}): 4 MiB summed in "
            f"{(time.monotonic() - begin) * 1e3:.1f} ms"
        )


def shorten_timeout(args: argparse.Namespace) -> None:
    """After the first step twice the step limit is enough, as a backstop behind the watchdog (private API, hence the
    test)."""
    setter = getattr(dist.distributed_c10d, "_set_pg_timeout", None)
    if setter:
        setter(timedelta(seconds=2 * args.step_timeout))
