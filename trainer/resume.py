"""What a checkpoint of the training holds, when it counts as saved, and from which one all ranks go on."""

from __future__ import annotations

import copy
import os
import time

import torch
import torch.distributed as dist

from trainer.ckpt import load
from trainer.faults import DATA, NOT_FINITE, Fault
from trainer.files import text_of
from trainer.training import Training


def commit(t: Training) -> bool:
    """Rank 0 commits; nobody goes on before everybody knows whether it worked."""
    store = t.ctx.store
    if store is None:
        return False
    begin, ok = time.monotonic(), torch.zeros(1)
    if t.place.rank == 0:
        t.watch.phase("save")
        state = {name: part.state_dict() for name, part in t.parts.items()}
        state["progress"] = {"epoch": t.epoch, "cursor": t.cursor, "step": t.step}
        state["rng"] = {"cpu": torch.get_rng_state()}
        # Weights are equal on all ranks, so one look is enough; a poisoned checkpoint would end every later attempt.
        if not all(bool(torch.isfinite(weight).all()) for weight in t.model.parameters()):
            ok[0] = -1.0
        elif store.try_save(t.step, state, {"world": t.place.world}):
            ok[0], t.ctx.committed = 1.0, t.step
    t.watch.phase("sync")
    dist.broadcast(ok, 0, group=t.ctx.control)
    if ok[0] < 0:
        text = f"weights not finite after step {t.step}, not saved"
        raise Fault(NOT_FINITE, text, (), "lower --lr, or use --amp bf16")
    t.watch.phase("data")
    t.save_s = time.monotonic() - begin
    t.meter.values["save"].append(t.save_s * 1e3)
    t.ctx.log.event("checkpoint", step=t.step, ok=bool(ok[0]), seconds=round(t.save_s, 4))
    return bool(ok[0])


def resume(t: Training) -> None:
    """The newest checkpoint that is whole on every rank; what is skipped is said."""
    store, args, board, limit = t.ctx.store, t.args, t.ctx.board, t.args.start_timeout
    if args.resume not in {"auto", "none"}:
        restore(t, args.resume)
    elif store is not None and args.resume == "auto":
        for step in board.round("candidates", 0, limit, lambda got: store.steps()):
            flaws = board.round(
                f"flaw-{step}", store.flaw(step), limit, lambda got: {r: f for r, f in got.items() if f}
            )
            if not flaws:
                restore(t, store.path(step))
                break
            if t.place.rank == 0:
                rank, flaw = next(iter(flaws.items()))
                t.ctx.log.say(f"checkpoint of step {step} skipped: {flaw} (rank {rank})")
    if store is not None and t.place.rank == 0:
        # The last step taken, in the page cache: it outlives a kill, so the next attempt knows what it repeats.
        path = os.path.join(args.out, "progress")
        t.reached = int(text_of(path) or 0)
        t.progress = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        if t.reached > t.step:
            t.ctx.log.say(f"repeating steps {t.step + 1}..{t.reached}")
            t.ctx.log.event("repeat", first=t.step + 1, last=t.reached)
    t.reached = board.round("reached", t.reached, limit)


def restore(t: Training, path: str) -> None:
    """Loads one checkpoint, on every rank. Raises Fault(65) where it is none."""
    try:
        state = load(path)
        for name, part in t.parts.items():
            part.load_state_dict(state[name] if name == "model" else copy.deepcopy(state[name]))
        torch.set_rng_state(state["rng"]["cpu"])
        t.epoch, t.cursor, t.step = (state["progress"][key] for key in ("epoch", "cursor", "step"))
    except Exception as error:  # torch and pickle raise what they like on a file that is no checkpoint
        raise Fault(DATA, f"checkpoint `{path}` cannot be used: {str(error).splitlines()[0]}") from None
    if t.place.rank == 0:
        t.ctx.log.say(f"resumed from step {t.step} (`{os.path.basename(path)}`)")
    t.ctx.log.event("resume", step=t.step)
