"""The training loop: steps, stop flags, checkpoints, evaluation (T4 to T7)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from trainer import data, files, metrics, models
from trainer.ckpt import Progress
from trainer.faults import DATA, INTERRUPTED, NOT_FINITE, OUTPUT, STOPPED, USAGE, Fault
from trainer.group import shorten_timeout
from trainer.share import shared_index
from trainer.state import resume, save

if TYPE_CHECKING:
    from trainer.job import Context

LOSS, COUNT, BAD, TERM, INT, SAVE, FIELDS = 0, 1, 2, 3, 4, 5, 6  # of the one small all-reduce per step


class Clock:
    """Marks within a step: GPU events, read when they are done and never waited for, or the time on a CPU."""

    def __init__(self, gpu: bool) -> None:
        self.gpu, self.now, self.done = gpu, {}, []  # type: ignore[var-annotated]

    def mark(self, name: str) -> None:
        if self.gpu:
            self.now[name] = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
            self.now[name].record()
        else:
            self.now[name] = time.perf_counter()

    def step(self) -> None:
        self.done.append(self.now)
        self.now = {}

    def harvest(self, meter: metrics.Meter) -> None:
        while self.done and (not self.gpu or self.done[0]["end"].query()):
            marks = self.done.pop(0)

            def between(a: str, b: str, marks: dict[str, Any] = marks) -> float:
                return float(marks[a].elapsed_time(marks[b]) if self.gpu else (marks[b] - marks[a]) * 1e3)

            meter.add("fwd_bwd", between("begin", "ready"))
            meter.add("comm", between("ready", "end"))


class Training:
    def __init__(self, ctx: Context) -> None:
        self.ctx, self.args, self.place, self.watch = ctx, ctx.args, ctx.place, ctx.watch
        args, gpu = ctx.args, ctx.device.type == "cuda"
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        if args.amp == "fp16" and not gpu:
            raise Fault(USAGE, "`--amp=fp16` needs a GPU; on a CPU there is bf16")
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = args.tf32
        self.source = self._source("train")
        model = models.build(args.arch, self.source.classes)
        if args.sync_bn:
            model = nn.SyncBatchNorm.convert_sync_batchnorm(model)  # type: ignore[no-untyped-call]
        self.model = model.to(ctx.device)
        if args.channels_last:
            self.model = self.model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.grad_bytes = sum(p.numel() * p.element_size() for p in self.model.parameters())
        self.ddp = DistributedDataParallel(
            self.model,
            device_ids=[ctx.device] if gpu else None,
            bucket_cap_mb=args.bucket,
            gradient_as_bucket_view=True,
            static_graph=args.static_graph,
        )
        self.optimizer = torch.optim.SGD(self.model.parameters(), args.lr, args.momentum, weight_decay=args.wd)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 30)
        self.scaler = torch.amp.GradScaler("cuda", enabled=args.amp == "fp16")
        self.clock, self.meter = Clock(gpu), metrics.Meter()
        # DDP waits for its peers before the model's forward (buffers) and after the last gradient: that is `sync`.
        self.model.register_forward_pre_hook(lambda *_: self.watch.phase("fwd"))
        next(self.model.parameters()).register_hook(self._gradients_ready)  # type: ignore[no-untyped-call]
        self.batch = args.batch_size * args.accum * self.place.world
        self.per_epoch = self.source.count // self.batch
        if not self.per_epoch:
            raise Fault(
                DATA, f"{self.source.count} samples are less than one global batch of {self.batch}", (), "lower -b"
            )
        self.total = args.iter or args.epochs * self.per_epoch
        self.step = self.epoch = self.cursor = self.bad = 0
        self.last = False  # the micro-batch after which gradients are exchanged
        self.loss, self.save_s = float("nan"), 0.0
        self.bad_here = self.saving = False
        self.stopping = self.reached = 0
        self.held: Any = None  # on a GPU the loss is read one step later
        self.progress: Progress | None = None
        self.say_buckets()

    def _source(self, split: str) -> data.Source:
        ctx, args = self.ctx, self.args
        if args.dummy:
            shape, classes = (
                ((1, 28, 28), 10) if args.arch == "mnist" else ((3, args.image_size, args.image_size), 1000)
            )
            return data.Dummy(args.dummy_size, args.classes or classes, shape, args.seed, ctx.device)
        if ctx.data["kind"] == "idx":
            return data.Idx(args.data, split, ctx.device)
        root = files.split_root(args.data, split)
        index = shared_index(ctx.board, root, ctx.data["kind"], args.start_timeout, split)
        return data.Images(
            root,
            index,
            args.image_size,
            args.seed,
            split == "train",
            args.workers,
            0.9 * args.step_timeout,
            self.place.rank,
            ctx.device,
        )

    def say_buckets(self) -> None:
        if self.place.rank == 0 and self.place.world > 1:
            count = max(1, -(-self.grad_bytes // int(self.args.bucket * 1024 * 1024)))
            self.ctx.log.say(
                f"{self.grad_bytes} gradient bytes in about {count} bucket{'s' if count > 1 else ''}"
                + (": no overlap, right for measuring the network only" if count == 1 else "")
            )

    def _gradients_ready(self, gradient: Tensor) -> Tensor:
        if self.last:
            self.clock.mark("ready")
            self.watch.phase("sync")
        return gradient

    # -- one step -----------------------------------------------------------------------------------------------------
    def train_step(self, x: Tensor, y: Tensor) -> None:
        args, parts = self.args, self.args.accum
        self.clock.mark("begin")
        total = torch.zeros((), device=x.device)
        kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(args.amp)
        for part, (xs, ys) in enumerate(zip(x.chunk(parts), y.chunk(parts), strict=True)):
            self.last = part == parts - 1
            self.ddp.require_backward_grad_sync = self.last
            if args.channels_last:
                xs = xs.contiguous(memory_format=torch.channels_last)
            self.watch.phase("sync")
            with torch.autocast(x.device.type, kind, enabled=kind is not None):
                loss = nn.functional.cross_entropy(self.ddp(xs), ys) / parts
            self.watch.phase("bwd")
            self.scaler.scale(loss).backward()
            total += loss.detach()
        self.clock.mark("end")
        self.clock.step()
        self.watch.phase("bwd")
        work, note = self.post(total)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
        self.watch.phase("sync")
        work.wait()
        self.read(note)

    def post(self, total: Tensor | None) -> tuple[Any, Tensor]:
        """The loss and the flags of this rank, summed over all while the optimizer works."""
        note = torch.zeros(FIELDS, dtype=torch.float64)
        value = None
        if total is not None and total.is_cuda:
            value, self.held = self.held, (total.to("cpu", non_blocking=True), torch.cuda.Event())  # type: ignore[no-untyped-call]
            self.held[1].record()
            if value is not None:
                value[1].synchronize()
                value = float(value[0])
        elif total is not None:
            value = float(total)
        if value is not None:
            finite = value == value and abs(value) != float("inf")
            note[LOSS], note[COUNT], note[BAD] = value if finite else 0.0, 1.0, 0.0 if finite else 1.0
        signals = self.ctx.signals
        note[TERM], note[INT] = float(signals.code == STOPPED), float(signals.code == INTERRUPTED)
        note[SAVE], signals.save = float(signals.save), False
        self.bad_here = bool(note[BAD])
        return dist.all_reduce(note, group=self.ctx.control, async_op=True), note

    def read(self, note: Tensor) -> None:
        if note[COUNT]:
            good = float(note[COUNT] - note[BAD])
            self.loss = float(note[LOSS]) / good if good else float("nan")
            self.bad = self.bad + 1 if note[BAD] else 0
        self.stopping = INTERRUPTED if note[INT] and not note[TERM] else STOPPED if note[TERM] else 0
        self.saving = bool(note[SAVE])
        if self.bad >= 3:
            mine = torch.tensor([float(self.bad_here)])
            every = [torch.zeros(1) for _ in range(self.place.world)]
            dist.all_gather(every, mine, group=self.ctx.control)
            culprits = tuple(rank for rank, flag in enumerate(every) if flag)
            raise Fault(
                NOT_FINITE,
                f"loss not finite for 3 steps, at step {self.step + 1} on ranks {list(culprits)}",
                culprits,
                "lower --lr, or use --amp bf16",
            )

    # -- the run ------------------------------------------------------------------------------------------------------
    def run(self) -> None:
        from trainer.interval import Interval

        args, watch = self.args, self.watch
        resume(self)
        interval = Interval(self)
        steps = data.plan(
            self.source.count, self.batch, args.seed, self.place.rank, self.place.world, self.epoch, self.cursor
        )
        batches: Iterator[data.Batch] = self.source.batches(steps)
        first, saved = self.step, self.step
        self.model.train()
        while self.step < self.total:
            begin = time.perf_counter()
            watch.repeating = self.step < self.reached
            watch.phase("data", self.step + 1)
            epoch, cursor, x, y = next(batches)
            self.meter.add("data", (time.perf_counter() - begin) * 1e3)
            if epoch != self.epoch:
                self.scheduler.step()
            self.train_step(x, y)
            self.step, self.epoch, self.cursor = self.step + 1, epoch, cursor
            watch.phase("data")
            if self.progress:
                self.progress.at(self.step)
            if not watch.started:
                self._first_step()
            self.meter.add("step", (time.perf_counter() - begin) * 1e3)
            self.clock.harvest(self.meter)
            if self.step % args.print_freq == 0 or self.step == self.total:
                interval.close()
            due = args.ckpt_every and self.step % args.ckpt_every == 0
            if self.stopping or self.saving or due or self.step == self.total:
                saved = self.step if save(self) else saved
                interval.check_grace()
            if self.stopping:
                self.stopped(saved)
            if args.eval and (self.step % self.per_epoch == 0 or self.step == self.total):
                self.evaluate(saved)
        if self.ctx.store is not None and first < self.total and saved != self.total:
            raise Fault(OUTPUT, f"the final checkpoint of step {self.total} could not be written", (0,))
        interval.finish()

    def _first_step(self) -> None:
        shorten_timeout(self.args)
        self.watch.started = True

    def stopped(self, saved: int) -> None:
        """All ranks come here after the same step."""
        state = (
            f"saved at step {saved}"
            if saved == self.step and self.ctx.store
            else f"not saved, the last checkpoint is of step {saved}"
            if self.ctx.store
            else "nothing saved: no --out"
        )
        name = self.ctx.signals.name or ("SIGINT" if self.stopping == INTERRUPTED else "SIGTERM")
        stop_file = os.path.join(self.args.out, "stop") if self.args.out else ""
        if self.place.rank == 0 and stop_file and os.path.exists(stop_file):
            os.unlink(stop_file)
        raise Fault(self.stopping, f"stopped by {name} after step {self.step}, {state}")

    @torch.no_grad()
    def evaluate(self, saved: int) -> None:
        """Mean loss and top-1 share over the evaluation set; the stop flags are read between batches."""
        self.watch.phase("eval")
        source = self._source("val")
        counts = torch.zeros(3, dtype=torch.float64)
        self.model.eval()
        for _, _, x, y in source.batches(
            data.evaluation(source.count, self.args.batch_size, self.place.rank, self.place.world)
        ):
            if len(y):
                z = self.model(x)
                counts += torch.tensor(
                    [
                        float(nn.functional.cross_entropy(z, y, reduction="sum")),
                        float((z.argmax(1) == y).sum()),
                        float(len(y)),
                    ],
                    dtype=torch.float64,
                )
            self.watch.phase("sync")
            work, note = self.post(None)
            work.wait()
            self.read(note)
            self.watch.phase("eval")
            if self.stopping:
                self.stopped(self.step if saved == self.step or save(self) else saved)
        self.model.train()
        source.close()
        self.watch.phase("sync")
        dist.all_reduce(counts, group=self.ctx.control)
        self.watch.phase("data")
        loss, share = float(counts[0] / counts[2]), float(counts[1] / counts[2])
        self.ctx.log.event("eval", step=self.step, loss=loss, accuracy=share, samples=int(counts[2]))
        if self.place.rank == 0:
            print(
                f"evaluation at step {self.step}: loss {loss:.4f}, accuracy {share:.4f}, {int(counts[2])} samples",
                flush=True,
            )


def train(ctx: Context) -> None:
    Training(ctx).run()
