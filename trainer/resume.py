"""What a checkpoint of the training holds, when it counts as saved, and from which one all ranks go on."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import os
import time
from typing import Any

import torch
import torch.distributed as dist

from trainer.ckpt import Store, load
from trainer.faults import DATA, NOT_FINITE, USAGE, Fault, first_line
from trainer.files import text_of
from trainer.training import Training

# What must be as it was, in the words of a refusal.
MUST_FIT = {
    "arch": "`--arch={}`",
    "classes": "{} classes",
    "samples": "{} samples",
    "data": "the data `{}`",
    "seed": "`--seed={}`",
    "lr_scheduler": "`--lr-scheduler={}`",
    "lr_warmup_epochs": "`--lr-warmup-epochs={}`",
    "lr_end": "a rate that falls until {}",
}
# What checkpoints do not say that were written before it could be asked for.
ALWAYS = {"lr_scheduler": "step", "lr_warmup_epochs": 0.0, "lr_end": ""}
RATES = ("lr", "momentum", "wd")  # may change: the command line's values hold


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
        # As text: pickle would share its keys with those of the optimizer before a resume, and not after it.
        state["job"] = json.dumps(t.about)
        # Weights are equal on all ranks, so one look is enough; a poisoned checkpoint would end every later attempt.
        if not all(bool(torch.isfinite(weight).all()) for weight in t.model.parameters()):
            ok[0] = -1.0
        elif store.try_save(t.step, state, {"world": t.place.world, "job": t.about}):
            ok[0], t.ctx.committed = 1.0, t.step
    t.watch.phase("sync")
    dist.broadcast(ok, 0, group=t.ctx.control)
    if ok[0] < 0:
        text = f"weights not finite after step {t.step}, not saved"
        raise Fault(NOT_FINITE, text, (), "lower --lr, or use --amp bf16")
    t.watch.phase("data")
    t.save_seconds = time.monotonic() - begin
    t.meter.values["save"].append(t.save_seconds * 1e3)
    t.ctx.log.event("checkpoint", step=t.step, ok=bool(ok[0]), seconds=round(t.save_seconds, 4))
    return bool(ok[0])


def described(t: Training) -> dict[str, Any]:
    """What a checkpoint is of. Only the network's shape, the order of the samples and the course of the learning rate
    must be the same to go on: world size, batch, evaluation and the rates of the optimizer may be others.

    A cosine has an end, which is part of its course: by --iter it lies where so many steps of this batch lead.
    """
    args, source, end = t.args, t.source, ""
    if args.lr_scheduler == "cosine":
        end = f"`--iter={args.iter}` with {t.batch} samples a step" if args.iter else f"`--epochs={args.epochs}`"
    return {
        "arch": args.arch,
        "classes": t.classes,
        "samples": source.count,
        "data": source.identity(),
        "seed": args.seed,
        "batch": t.batch,
        "lr_scheduler": args.lr_scheduler,
        "lr_warmup_epochs": args.lr_warmup_epochs,
        "lr_end": end,
        **{name: getattr(args, name) for name in RATES},
    }


def misfit(was: dict[str, Any], now: dict[str, Any]) -> str:
    """The first value that forbids to go on, as the end of a sentence; empty where none does."""
    for key, text in MUST_FIT.items():
        if was[key] != now[key]:
            return f"is of {text.format(was[key])}, this job is of {text.format(now[key])}"
    return ""


def earlier_config(t: Training) -> str:
    """The hash by which checkpoints of version 1.0.0 say what they are of."""
    key = [
        {name: getattr(t.args, name, "") for name in ("arch", "classes", "seed", "format")},
        t.ctx.data.get("prints"),
    ]
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]


def resume(t: Training) -> None:
    """Goes on from the newest checkpoint of the lineage that is whole on every rank; what is skipped is said.

    Raises Fault(64) where that is of another job, and Fault(65) where none of them can be read.
    """
    store, args = t.ctx.store, t.args
    t.about = described(t)
    steps: list[int] = []
    if store is not None:
        steps = t.ctx.board.round("candidates", 0, args.start_timeout, lambda got: store.steps())
    if store is not None and steps:
        step, skipped = whole(t, store, steps)
        if step is None:
            text = (
                f"none of the {len(steps)} checkpoints in `{store.folder}` is whole; of step {steps[0]}: {skipped[0]}"
            )
            raise Fault(DATA, text, (), "restore one, or begin anew beside them with --resume none")
        restore(t, store.path(step))
        if t.place.rank == 0:
            for other in steps[: len(skipped)]:
                store.set_aside(other)
    elif args.resume not in {"auto", "none"}:
        restore(t, args.resume)
    if store is not None and t.place.rank == 0:
        # The last step taken, in the page cache: it outlives a kill, so the next attempt knows what it repeats.
        path = os.path.join(store.folder, "progress")
        with contextlib.suppress(ValueError):  # a crash of the machine may leave what is no number
            t.reached = int(text_of(path) or 0)
        t.progress = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        if t.reached > t.step:
            t.ctx.log.say(f"repeating steps {t.step + 1}..{t.reached}")
            t.ctx.log.event("repeat", first=t.step + 1, last=t.reached)
    t.reached = t.ctx.board.round("reached", t.reached, args.start_timeout)


def whole(t: Training, store: Store, steps: list[int]) -> tuple[int | None, list[str]]:
    """The first of the steps whose checkpoint every rank can read, and what is wrong with those before it."""
    skipped: list[str] = []
    for step in steps:
        flaws = t.ctx.board.round(
            f"flaw-{step}",
            store.flaw(step),
            t.args.start_timeout,
            lambda got: [f"{flaw} (rank {rank})" for rank, flaw in sorted(got.items()) if flaw],
        )
        if not flaws:
            return step, skipped
        skipped.append(flaws[0])
        if t.place.rank == 0:
            t.ctx.log.say(f"checkpoint of step {step} skipped: {flaws[0]}")
    return None, skipped


def restore(t: Training, path: str) -> None:
    """Loads one checkpoint, on every rank. Raises Fault(65) where it is none, Fault(64) where it is of another job."""
    try:
        state = load(path)
        progress = state["progress"]
    except Exception as error:  # torch and pickle raise what they like on a file that is no checkpoint
        raise Fault(DATA, f"checkpoint `{path}` cannot be used: {first_line(error)}") from None
    was, now = json.loads(state.get("job", "{}")), t.about
    if not was:
        _earlier(t, path)
    if flaw := misfit({**now, **ALWAYS, **was}, now):
        text = "give the value of the checkpoint, or begin anew beside it with --resume none"
        raise Fault(USAGE, f"checkpoint `{path}` {flaw}", (), text)
    try:
        for name, part in t.parts.items():
            if name == "scaler" and not (state[name] and part.is_enabled()):
                continue  # the checkpoint, or this job, is without --amp=fp16
            part.load_state_dict(state[name] if name == "model" else copy.deepcopy(state[name]))
        torch.set_rng_state(state["rng"]["cpu"])
        t.epoch, t.cursor, t.step = (progress[key] for key in ("epoch", "cursor", "step"))
    except Exception as error:
        raise Fault(DATA, f"checkpoint `{path}` cannot be used: {first_line(error)}") from None
    if t.place.rank == 0:
        t.ctx.log.say(f"resumed from step {t.step} (`{os.path.basename(path)}`)")
    _rates(t, was, now)
    t.ctx.log.event("resume", step=t.step)


def _rates(t: Training, was: dict[str, Any], now: dict[str, Any]) -> None:
    """What the command line says of the optimizer holds from here on, and what has changed is said."""
    group = t.optimizer.param_groups[0]
    group["momentum"], group["weight_decay"] = now["momentum"], now["wd"]
    if t.place.rank == 0:
        for key in RATES:
            if was.get(key, now[key]) != now[key]:
                t.ctx.log.say(f"`--{key}={now[key]}` from here on, the checkpoint had {was[key]}")
        if was.get("batch", now["batch"]) != now["batch"]:
            text = f"{now['batch']} samples a step from here on, it was {was['batch']}"
            t.ctx.log.say(f"{text}: the epoch goes on after its first {t.cursor}")


def _earlier(t: Training, path: str) -> None:
    """A checkpoint of version 1.0.0 has a hash of what it is of. Raises Fault(64) where that is not this job's."""
    if t.args.resume == path:
        if t.place.rank == 0:
            t.ctx.log.say(f"`{path}` does not say what it is of: its data and --seed are taken to be those of this job")
        return
    try:
        with open(path + ".json", encoding="utf-8") as file:
            was = json.load(file)["config"]
    except (OSError, ValueError, KeyError):
        was = "none"
    if was != earlier_config(t):
        text = (
            f"checkpoint `{path}` was written by an earlier version, with another --arch, --classes, --seed, --format, "
        )
        text += f"--eval or data: it has the hash {was}, this job has {earlier_config(t)}"
        raise Fault(USAGE, text, (), f"take it as it is with `--resume {path}`, or begin anew with --resume none")
