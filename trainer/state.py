"""What a checkpoint holds, and how all ranks agree on the one to go on from (T6)."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

from trainer.ckpt import Progress
from trainer.faults import DATA, NOT_FINITE, Fault

if TYPE_CHECKING:
    from trainer.loop import Training


def save(t: Training) -> bool:
    """Rank 0 commits; nobody goes on before everybody knows whether it worked."""
    store = t.ctx.store
    if store is None:
        return False
    begin, ok = time.monotonic(), torch.zeros(1)
    if t.place.rank == 0:
        t.watch.phase("save")
        state = {
            "model": t.model.state_dict(),
            "optimizer": t.optimizer.state_dict(),
            "scheduler": t.scheduler.state_dict(),
            "scaler": t.scaler.state_dict(),
            "progress": {"epoch": t.epoch, "cursor": t.cursor, "step": t.step},
            "rng": {"cpu": torch.get_rng_state()},
        }
        # Weights are equal on all ranks, so one look is enough; a poisoned checkpoint would end every later attempt.
        if not all(bool(torch.isfinite(weight).all()) for weight in t.model.parameters()):
            ok[0] = -1.0
        else:
            ok[0] = float(store.try_save(t.step, state, {"world": t.place.world}))
        if ok[0] > 0:
            t.ctx.committed = t.step
    t.watch.phase("sync")
    dist.broadcast(ok, 0, group=t.ctx.control)
    if ok[0] < 0:
        raise Fault(
            NOT_FINITE, f"weights not finite after step {t.step}, not saved", (), "lower --lr, or use --amp bf16"
        )
    t.watch.phase("data")
    t.save_s = time.monotonic() - begin
    t.meter.add("save", t.save_s * 1e3)
    t.ctx.log.event("checkpoint", step=t.step, ok=bool(ok[0]), seconds=round(t.save_s, 4))
    return bool(ok[0])


def resume(t: Training) -> None:
    """The newest checkpoint that is whole on every rank; what is skipped is said."""
    store, args, board = t.ctx.store, t.args, t.ctx.board
    if args.resume not in {"auto", "none"}:
        restore(t, args.resume)
    elif store is not None and args.resume == "auto":
        for step in board.round("candidates", 0, lambda got: store.steps(), args.start_timeout):
            flaws = board.round(
                f"flaw-{step}", store.flaw(step), lambda got: {r: f for r, f in got.items() if f}, args.start_timeout
            )
            if not flaws:
                restore(t, store.path(step))
                break
            rank, flaw = next(iter(flaws.items()))
            if t.place.rank == 0:
                t.ctx.log.say(f"checkpoint of step {step} skipped: {flaw} (rank {rank})")
    if store is not None and t.place.rank == 0:
        t.progress = Progress(args.out)
        t.reached = t.progress.reached
        if t.reached > t.step:
            t.ctx.log.say(f"repeating steps {t.step + 1}..{t.reached}")
            t.ctx.log.event("repeat", first=t.step + 1, last=t.reached)
    else:
        t.reached = 0
    t.reached = board.round("reached", t.reached, lambda got: got[0], args.start_timeout)


def restore(t: Training, path: str) -> None:
    try:
        state = torch.load(path, map_location=t.ctx.device, weights_only=True)
        t.model.load_state_dict(state["model"])
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        raise Fault(DATA, f"checkpoint `{path}` cannot be used: {str(error).splitlines()[0]}") from None
    t.optimizer.load_state_dict(state["optimizer"])
    t.scheduler.load_state_dict(state["scheduler"])
    t.scaler.load_state_dict(state["scaler"])
    torch.set_rng_state(state["rng"]["cpu"].cpu())
    t.epoch, t.cursor, t.step = (state["progress"][key] for key in ("epoch", "cursor", "step"))
    if t.place.rank == 0:
        t.ctx.log.say(f"resumed from step {t.step} (`{os.path.basename(path)}`)")
    t.ctx.log.event("resume", step=t.step)
