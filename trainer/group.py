"""The process group: which backend, at whose address, and a first sum over all ranks whose result is known."""

from __future__ import annotations

import os
import re
import socket
import time
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import PrefixStore

from trainer import __version__, files
from trainer.agree import majority
from trainer.config import Config, TrainConfig
from trainer.context import Context
from trainer.env import Place
from trainer.faults import DISAGREE, HARDWARE, PEER, USAGE, Fault, first_line, is_peer_error
from trainer.flags import PATHS, PER_RANK
from trainer.net import listen, own_address


def environment(args: Config) -> dict[str, str]:
    """Set where absent. RES_OPTIONS: the store's event loop looks up the name of every peer that connects (torch 2.13),
    and one lost answer of a name server would hold up the whole rendezvous for glibc's five seconds."""
    out = args.out
    log = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,NET", "NCCL_DEBUG_FILE": f"/tmp/nccl-{os.getpid()}.log"}
    return {
        **(log if args.expect_hca else {}),
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": "3",
        "TORCH_NCCL_DUMP_ON_TIMEOUT": "1",
        "TORCH_FR_BUFFER_SIZE": "2000",
        "TORCH_FR_DUMP_TEMP_FILE": os.path.join(out, "flight-nccl") if out else f"/tmp/flight-nccl-{os.getuid()}-",
        "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC": "600",
        "RES_OPTIONS": "timeout:1 attempts:1",
    }


def backend(ctx: Context) -> None:
    """nccl where there are GPUs, else gloo; ``mpi`` means mpirun as launcher unless torch was built with it."""
    wanted, cuda = ctx.args.backend, torch.cuda.is_available()
    if wanted == "mpi" and not dist.is_mpi_available():
        text = "`--backend=mpi` needs a torch built with MPI: start under mpirun"
        raise Fault(USAGE, f"{text} with `--backend=nccl` or `--backend=gloo`")
    if wanted == "nccl" and not cuda:
        raise Fault(USAGE, f"`--backend=nccl`, but torch {torch.__version__} sees no GPU here")
    if not cuda and isinstance(ctx.args, TrainConfig) and ctx.args.amp == "fp16":
        raise Fault(USAGE, "`--amp=fp16` needs a GPU; on a CPU there is bf16")
    if not cuda and isinstance(ctx.args, TrainConfig) and ctx.args.sync_bn:
        raise Fault(USAGE, "`--sync-bn` needs a GPU")
    ctx.backend = wanted if wanted != "auto" else "nccl" if cuda else "gloo"
    if cuda:
        ctx.device = torch.device("cuda", ctx.place.local_rank % torch.cuda.device_count())


def facts(ctx: Context) -> dict[str, Any]:
    """What must be equal on all ranks."""
    said = {key: value for key, value in sorted(vars(ctx.args).items()) if key not in PER_RANK}
    arguments = {key: "(a path)" if key in PATHS and value else value for key, value in said.items()}
    nccl = torch.cuda.nccl.version() if ctx.backend == "nccl" else None  # type: ignore[no-untyped-call]
    versions = {"torch": torch.__version__, "trainer": __version__, "backend": ctx.backend, "nccl": nccl}
    return {**versions, "arguments": arguments}


def mpi_address(place: Place, out: str) -> None:
    """mpirun gives ranks but no address: mpi4py broadcasts it, else a file keyed by this mpirun's PMIx name space."""
    if place.source != "MPI" or place.master:
        return
    if place.rank == 0:
        with listen(0, 1.0) as probe:
            place.port = probe.getsockname()[1]
    mine = f"{own_address('192.0.2.1', 9)} {place.port}"  # a documentation address: only the route to it is asked for
    try:
        from mpi4py import MPI  # type: ignore[import-not-found]

        text = MPI.COMM_WORLD.bcast(mine, 0)
    except ImportError:
        space = os.environ.get("PMIX_NAMESPACE", "").replace("/", "_")
        if not out or not space:
            remedy = "pass `-x MASTER_ADDR -x MASTER_PORT`, install mpi4py, or give a shared --out"
            raise Fault(USAGE, "mpirun gave no address", (), remedy) from None
        name = os.path.join(out, f"rendezvous-{space}")
        if place.rank == 0:
            os.makedirs(out, exist_ok=True)
            files.put(name, mine)
        end = time.monotonic() + 60
        while not (text := files.text_of(name)) or (place.rank and not answers(text)):
            if time.monotonic() > end and text:
                break  # the join says how it does not answer
            if time.monotonic() > end:
                raise Fault(PEER, f"rank 0 did not write `{name}`", (0,)) from None
            time.sleep(0.05)
    place.master, port = text.split()
    place.port = int(port)


def answers(address: str) -> bool:
    """Whether somebody listens at ``HOST PORT``: an attempt before this one may have left its address, as a name space
    repeats where a pod is restarted in place."""
    host, _, port = address.partition(" ")
    try:
        socket.create_connection((host, int(port)), 2.0).close()
    except (OSError, ValueError):
        return False
    return True


def group(ctx: Context) -> None:
    """The process group on the store of the rendezvous, a gloo group of its own for control, and a first known sum."""
    place, limit = ctx.place, timedelta(seconds=ctx.args.start_timeout)
    options: dict[str, Any] = {}
    if ctx.device.type == "cuda":
        torch.cuda.set_device(ctx.device)  # before any barrier: it would bind GPU 0 on all ranks
        options["device_id"] = ctx.device if ctx.backend == "nccl" else None
    store = PrefixStore(ctx.board.prefix + "pg", ctx.board.store)
    try:
        dist.init_process_group(
            ctx.backend, store=store, rank=place.rank, world_size=place.world, timeout=limit, **options
        )
        ctx.control = dist.new_group(backend="gloo", timeout=limit)
    except RuntimeError as error:
        raise (is_peer_error(error) and wrong_interface(ctx, error)) or error from None
    probe = torch.full((1 << 20,), float(place.rank + 1), device=ctx.device if ctx.backend == "nccl" else "cpu")
    begin = time.monotonic()
    dist.all_reduce(probe)
    total = place.world * (place.world + 1) // 2
    wrong = int((probe != total).sum())
    if wrong:
        raise Fault(DISAGREE, f"a sum over all ranks is wrong in {wrong} of {1 << 20} places, {total} expected")
    if place.rank == 0:
        took = f"4 MiB summed in {(time.monotonic() - begin) * 1e3:.1f} ms"
        ctx.log.say(f"{ctx.backend} over {place.world} ranks ({place.source}): {took}")
    net, wanted = net_in_use(files.text_of(os.environ.get("NCCL_DEBUG_FILE", ""))), ctx.args.expect_hca
    if wanted and net not in {"", "IB"}:
        text = f"{ctx.board.name(place.rank)}: NCCL talks through NET/{net}, `--expect-hca={wanted}` wants NET/IB"
        raise Fault(HARDWARE, text, (place.rank,), "check the HCAs, NCCL_IB_HCA and the network plugin")


def wrong_interface(ctx: Context, error: RuntimeError) -> Fault | None:
    """gloo says that a network cannot be reached, not who sent it there: the rank whose interface is not the usual."""
    board, ways = ctx.board, dict[int, str]()
    for rank in range(ctx.place.world):
        found = next(check[2] for check in board.peek(f"check/{rank}")["checks"] if check[0] == "interface")
        ways[rank] = found.removeprefix("GLOO_SOCKET_IFNAME=").split(" (")[0]
    usual, odd = majority(ways)
    if not odd:
        return None
    text = f"{board.name(odd[0])} is to be reached through `{ways[odd[0]]}`, the others through `{usual}`"
    return Fault(PEER, f"{text}: {first_line(error)}", odd, "check GLOO_SOCKET_IFNAME and the routes")


def gather(values: list[float], group: Any) -> list[list[float]]:
    """The values of every rank, by rank."""
    mine = torch.tensor(values, dtype=torch.float64)
    every = [torch.zeros_like(mine) for _ in range(dist.get_world_size(group))]
    dist.all_gather(every, mine, group=group)
    return [one.tolist() for one in every]


def net_in_use(log: str) -> str:
    """``IB``, ``Socket`` or a plugin's name, as NCCL's log has it (2.4 to 2.27); empty where it does not say."""
    found = re.findall(r"(?:via NET/|Using network |Assigned NET plugin )(\w+)|NET/(\w+) : Using", log)
    return "".join(found[-1]) if found else ""


def shorten_timeout(seconds: float) -> None:
    """After the first step a backstop behind the watchdog is enough (private API, hence the test)."""
    setter = getattr(dist.distributed_c10d, "_set_pg_timeout", None)
    if setter:
        setter(timedelta(seconds=seconds))
