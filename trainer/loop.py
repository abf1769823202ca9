"""The training loop: steps, stop flags, checkpoints, evaluation (T4 to T7)."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

from trainer import data, files, metrics, models, report
from trainer.ckpt import commit, resume
from trainer.faults import DATA, INTERRUPTED, NOT_FINITE, OUTPUT, STOPPED, USAGE, Fault
from trainer.group import gather, shorten_timeout

if TYPE_CHECKING:
    from trainer.job import Context

GOOD, LOSS, BAD, TERM, INT, SAVE, FIELDS = range(7)  # of the note that every rank adds to every step


class Noted(nn.Module):
    """The model with one more parameter, whose gradient is the note: it travels in DDP's first bucket and comes back
    as the mean over all ranks, so no step needs an exchange of its own. It is no part of a checkpoint."""

    def __init__(self, model: nn.Module, device: torch.device) -> None:
        super().__init__()
        self.model, self.note = model, nn.Parameter(torch.zeros(FIELDS, device=device))

    def forward(self, x: Tensor) -> Tensor:
        return self.model(x)  # type: ignore[no-any-return]


class Clock:
    """Marks within a step: GPU events, read when they are done and never waited for, or the time on a CPU."""

    def __init__(self, gpu: bool) -> None:
        self.gpu, self.done = gpu, list[dict[str, Any]]()

    def mark(self, name: str) -> None:
        if name == "begin":
            self.done.append({})
        self.done[-1][name] = time.perf_counter()
        if self.gpu:
            self.done[-1][name] = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
            self.done[-1][name].record()

    def harvest(self, meter: metrics.Meter) -> None:
        while self.done and (not self.gpu or self.done[0]["end"].query()):
            marks = self.done.pop(0)
            for name, a, b in (("fwd_bwd", "begin", "ready"), ("comm", "ready", "end")):
                span = marks[a].elapsed_time(marks[b]) if self.gpu else (marks[b] - marks[a]) * 1e3
                meter.values[name].append(span)


class Training:
    def __init__(self, ctx: Context) -> None:
        self.ctx, self.args, self.place, self.watch = ctx, ctx.args, ctx.place, ctx.watch
        args, gpu = ctx.args, ctx.device.type == "cuda"
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        if args.amp == "fp16" and not gpu:
            raise Fault(USAGE, "`--amp=fp16` needs a GPU; on a CPU there is bf16")
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = args.tf32
        self.indexes: dict[str, files.Index] = {}  # by split
        self.source = self._source("train")
        model = models.build(args.arch, self.source.classes)
        if args.sync_bn:
            model = nn.SyncBatchNorm.convert_sync_batchnorm(model)  # type: ignore[no-untyped-call]
        self.layout = torch.channels_last if args.channels_last else torch.contiguous_format
        self.model = model.to(ctx.device).to(memory_format=self.layout)  # type: ignore[call-overload]
        self.grad_bytes = sum(parameter.nbytes for parameter in self.model.parameters())
        self.noted = Noted(self.model, ctx.device)
        self.ddp = DistributedDataParallel(
            self.noted,
            device_ids=[ctx.device] if gpu else None,
            bucket_cap_mb=args.bucket,
            gradient_as_bucket_view=True,
            static_graph=args.static_graph,
        )
        self.optimizer = torch.optim.SGD(self.model.parameters(), args.lr, args.momentum, weight_decay=args.wd)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 30)
        self.scaler = torch.amp.GradScaler("cuda", enabled=args.amp == "fp16")
        self.parts: dict[str, Any] = {"model": self.model, "optimizer": self.optimizer}  # what a checkpoint holds
        self.parts |= {"scheduler": self.scheduler, "scaler": self.scaler}
        self.clock, self.meter = Clock(gpu), metrics.Meter()
        # DDP waits for its peers before the model's forward (buffers) and after the last gradient: that is `sync`.
        self.model.register_forward_pre_hook(lambda *_: self.watch.phase("fwd"))
        next(self.model.parameters()).register_hook(self._gradients_ready)
        self.batch = args.batch_size * args.accum * self.place.world
        self.per_epoch = self.source.count // self.batch
        if not self.per_epoch:
            text = f"{self.source.count} samples are less than one global batch of {self.batch}"
            raise Fault(DATA, text, (), "lower -b")
        self.total = args.iter or args.epochs * self.per_epoch
        self.step = self.epoch = self.cursor = self.reached = self.stopping = self.bad = 0
        self.last = self.saving = False  # `last`: the micro-batch after which gradients are exchanged
        self.loss, self.save_s = float("nan"), 0.0
        self.held: list[Any] = []  # the notes of the step before and their event, on a GPU
        self.progress = 0  # the file that holds the last step taken
        if self.place.rank == 0 and self.place.world > 1:
            count = max(1, -(-self.grad_bytes // int(args.bucket * 1024 * 1024)))
            rest = "s" if count > 1 else ": no overlap, right for measuring the network only"
            ctx.log.say(f"{self.grad_bytes} gradient bytes in about {count} bucket{rest}")

    def _source(self, split: str) -> data.Source:
        ctx, args = self.ctx, self.args
        if args.dummy:
            small, side = args.arch == "mnist", args.image_size
            shape, classes = ((1, 28, 28), 10) if small else ((3, side, side), 1000)
            return data.Dummy(args.dummy_size, args.classes or classes, shape, args.seed, ctx.device)
        if ctx.data["kind"] == "idx":
            return data.Idx(args.data, split, ctx.device)
        root, kind = files.split_root(args.data, split), ctx.data["kind"]
        if split not in self.indexes:
            self.indexes[split] = files.shared_index(root, kind, self.place.rank, ctx.log.say, ctx.control)
        pictures = data.Pictures(root, self.indexes[split], args.image_size, args.seed, split == "train")
        return data.Images(pictures, args.workers, 0.9 * args.step_timeout, self.place.rank, ctx.device)

    def _gradients_ready(self, gradient: Tensor) -> Tensor:
        if self.last:
            self.clock.mark("ready")
            self.watch.phase("sync")
        return gradient

    # -- one step -----------------------------------------------------------------------------------------------------
    def train_step(self, x: Tensor, y: Tensor) -> None:
        parts, kind = self.args.accum, {"bf16": torch.bfloat16, "fp16": torch.float16}.get(self.args.amp)
        self.clock.mark("begin")
        total = torch.zeros((), device=x.device)
        for part, (xs, ys) in enumerate(zip(x.chunk(parts), y.chunk(parts), strict=True)):
            self.last = self.ddp.require_backward_grad_sync = part == parts - 1
            self.watch.phase("sync")
            with torch.autocast(x.device.type, kind, enabled=kind is not None):
                loss = cross_entropy(self.ddp(xs.contiguous(memory_format=self.layout)), ys) / parts
            self.watch.phase("bwd")
            total += loss.detach()
            scaled = self.scaler.scale(loss)
            if self.last:
                note = self.note(total)
                # Where the parameter is zero this adds nothing to the loss, and its gradient is the note.
                scaled = scaled + self.noted.note @ note
            scaled.backward()
        self.clock.mark("end")
        self.watch.phase("bwd")
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
        mean, self.noted.note.grad = self.noted.note.grad, None
        assert mean is not None
        for mine, every in [(note, mean)] if mean.is_cpu else self.late(note, mean):
            self.read(mine, every)

    def note(self, total: Tensor | None = None) -> Tensor:
        """This rank's flags, and the loss where there is one."""
        signals = self.ctx.signals
        flags = [signals.code == STOPPED, signals.code == INTERRUPTED, signals.save]
        if total is None:
            return torch.tensor([0, 0, 0, *flags], dtype=torch.float32)
        signals.save, good = False, total.isfinite()
        loss = torch.stack([good, total.nan_to_num(0.0, 0.0, 0.0), ~good])
        return torch.cat([loss, torch.tensor(flags).to(loss.device, non_blocking=True)])

    def late(self, note: Tensor, mean: Tensor) -> list[tuple[Tensor, Tensor]]:
        """On a GPU the notes of the step before, so that this one is not waited for; none at the first step."""
        before, copied = self.held, torch.cuda.Event()  # type: ignore[no-untyped-call]
        self.held = [(note.to("cpu", non_blocking=True), mean.to("cpu", non_blocking=True), copied)]
        copied.record()
        for _, _, event in before:
            event.synchronize()
        return [(mine, every) for mine, every, _ in before]

    def read(self, mine: Tensor, every: Tensor) -> None:
        """The stop flags and the loss of all ranks; the third step in a row with a loss that is not finite is the
        last."""
        good, loss, bad, term, interrupt, save = every.tolist()
        if good or bad:
            self.loss = loss / good if good else float("nan")
            self.bad = self.bad + 1 if bad else 0
        self.stopping = STOPPED if term else INTERRUPTED if interrupt else 0
        self.saving = bool(save)
        if self.bad >= 3:
            self.watch.phase("sync")
            everyone = gather([float(mine[BAD])], self.ctx.control)
            culprits = [rank for rank, (flag,) in enumerate(everyone) if flag]
            text = f"loss not finite for 3 steps, at step {self.step + 1} on ranks {culprits}"
            raise Fault(NOT_FINITE, text, culprits, "lower --lr, or use --amp bf16")

    # -- the run ------------------------------------------------------------------------------------------------------
    def run(self) -> None:
        args, watch, place = self.args, self.watch, self.place
        resume(self)
        interval = metrics.Interval(self)
        steps = data.plan(self.source.count, self.batch, args.seed, place.rank, place.world, self.epoch, self.cursor)
        batches = self.source.batches(steps)
        first = saved = self.step
        self.model.train()
        while self.step < self.total:
            begin = time.perf_counter()
            watch.repeating = self.step < self.reached
            watch.phase("data", self.step + 1)
            epoch, cursor, x, y = next(batches)
            self.meter.values["data"].append((time.perf_counter() - begin) * 1e3)
            if epoch != self.epoch:
                self.scheduler.step()
            self.train_step(x, y)
            self.step, self.epoch, self.cursor = self.step + 1, epoch, cursor
            watch.phase("data")
            if self.progress:
                with contextlib.suppress(OSError):
                    os.pwrite(self.progress, b"%012d" % self.step, 0)
            if not watch.started:
                shorten_timeout(2 * args.step_timeout)
                watch.started = True
            self.meter.values["step"].append((time.perf_counter() - begin) * 1e3)
            self.clock.harvest(self.meter)
            if self.step % args.print_freq == 0 or self.step == self.total:
                interval.close()
            due = args.ckpt_every and self.step % args.ckpt_every == 0
            if self.stopping or self.saving or due or self.step == self.total:
                saved = self.step if commit(self) else saved
                interval.check_grace()
            if self.stopping:
                self.stopped(saved)
            if args.eval and (self.step % self.per_epoch == 0 or self.step == self.total):
                self.evaluate(saved)
        if self.ctx.store and first < self.total and saved != self.total:
            raise Fault(OUTPUT, f"the final checkpoint of step {self.total} could not be written", (0,))
        self.watch.phase("save")
        if self.place.rank == 0 and self.args.out:
            self.ctx.log.event("end", step=self.step, spent=self.watch.spent)
            report.run(self.args.out)

    def stopped(self, saved: int) -> None:
        """All ranks come here after the same step."""
        state = f"saved at step {saved}" if saved == self.step else f"not saved, the last checkpoint is of step {saved}"
        name = self.ctx.signals.name or ("SIGINT" if self.stopping == INTERRUPTED else "SIGTERM")
        stop_file = os.path.join(self.args.out, "stop")
        if self.place.rank == 0 and self.ctx.store and os.path.exists(stop_file):
            os.unlink(stop_file)
        state = state if self.ctx.store else "nothing saved: no --out"
        raise Fault(self.stopping, f"stopped by {name} after step {self.step}, {state}")

    @torch.no_grad()
    def evaluate(self, saved: int) -> None:
        """Mean loss and top-1 share over the evaluation set; the stop flags are read between batches."""
        self.watch.phase("eval")
        source, sums = self._source("val"), torch.zeros(3, dtype=torch.float64)  # loss, hits, samples
        steps = data.evaluation(source.count, self.args.batch_size, self.place.rank, self.place.world)
        self.model.eval()
        for _, _, x, y in source.batches(steps):
            if len(y):
                z = self.model(x)
                hits = (z.argmax(1) == y).sum()
                sums += torch.tensor([float(cross_entropy(z, y, reduction="sum")), float(hits), float(len(y))])
            self.watch.phase("sync")
            note = self.note()
            dist.all_reduce(note, group=self.ctx.control)
            self.read(note, note)
            self.watch.phase("eval")
            if self.stopping:
                self.stopped(self.step if saved == self.step or commit(self) else saved)
        self.model.train()
        source.close()
        self.watch.phase("sync")
        dist.all_reduce(sums, group=self.ctx.control)
        self.watch.phase("data")
        loss, share, count = float(sums[0] / sums[2]), float(sums[1] / sums[2]), int(sums[2])
        self.ctx.log.event("eval", step=self.step, loss=loss, accuracy=share, samples=count)
        if self.place.rank == 0:
            text = f"evaluation at step {self.step}: loss {loss:.4f}, accuracy {share:.4f}, {count} samples"
            print(text, flush=True)


def train(ctx: Context) -> None:
    Training(ctx).run()
