"""One rank's training: the model under DDP, its optimizer, how far it has come, and one step of it.

What ranks must tell each other at every step (who was asked to stop, whose loss is not finite) costs no exchange: it is
the gradient of one more parameter, so DDP averages it along with the others."""

from __future__ import annotations

import time
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel

from trainer import data, files, metrics, models
from trainer.config import TrainConfig
from trainer.context import Context
from trainer.faults import DATA, INTERRUPTED, NOT_FINITE, STOPPED, USAGE, Fault
from trainer.group import gather
from trainer.schedule import Schedule, samples_of

GOOD, LOSS, BAD, TERM, INT, SAVE, FIELDS = range(7)  # of the note that every rank adds to every step


class Noted(nn.Module):
    """The model with one more parameter, whose gradient is the note: it travels in DDP's first bucket and comes back
    as the mean over all ranks, so no step needs an exchange of its own. It is no part of a checkpoint."""

    def __init__(self, model: nn.Module, device: torch.device) -> None:
        super().__init__()
        self.model = model
        self.note = nn.Parameter(torch.zeros(FIELDS, device=device))  # stays zero

    def forward(self, x: Tensor) -> Tensor:
        return self.model(x)  # type: ignore[no-any-return]


class Clock:
    """Marks within a step: GPU events, read when they are done and never waited for, or the time on a CPU."""

    def __init__(self, gpu: bool) -> None:
        self.gpu = gpu
        self.done: list[dict[str, Any]] = []  # for each step that was not harvested yet: its marks by name

    def mark(self, name: str) -> None:
        """``begin`` opens a step, ``end`` closes it; between them comes ``ready``: the local gradients are there."""
        if name == "begin":
            self.done.append({})
        self.done[-1][name] = time.perf_counter()
        if self.gpu:
            self.done[-1][name] = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call]
            self.done[-1][name].record()

    def harvest(self, meter: metrics.Meter) -> None:
        """The steps that are done become milliseconds of computation and of exchange."""
        while self.done and (not self.gpu or self.done[0]["end"].query()):
            marks = self.done.pop(0)
            for name, a, b in (("fwd_bwd", "begin", "ready"), ("comm", "ready", "end")):
                span = marks[a].elapsed_time(marks[b]) if self.gpu else (marks[b] - marks[a]) * 1e3
                meter.values[name].append(span)


class Training:
    """What one rank trains, and how far it has come."""

    def __init__(self, ctx: Context, args: TrainConfig) -> None:
        self.ctx, self.args, self.place, self.watch = ctx, args, ctx.place, ctx.watch
        gpu = ctx.device.type == "cuda"
        torch.set_num_threads(args.threads)
        torch.manual_seed(args.seed)
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = args.tf32
        self.indexes: dict[str, files.Index] = {}  # by split
        self.source = self.samples("train")
        self.classes = args.classes or self.source.classes  # outputs of the model
        if self.classes < self.source.classes:
            text = f"`--classes={args.classes}`, but the data has {self.source.classes} classes"
            raise Fault(USAGE, text, (), "leave it out")
        model = models.build(args.arch, self.classes)
        if args.sync_bn:
            model = nn.SyncBatchNorm.convert_sync_batchnorm(model)  # type: ignore[no-untyped-call]
        # memory order of images and weights
        self.layout = torch.channels_last if args.channels_last else torch.contiguous_format
        self.model = model.to(ctx.device).to(memory_format=self.layout)  # type: ignore[call-overload]
        self.grad_bytes = sum(parameter.nbytes for parameter in self.model.parameters())
        self.noted = Noted(self.model, ctx.device)  # what DDP wraps
        self.ddp = DistributedDataParallel(
            self.noted,
            device_ids=[ctx.device] if gpu else None,
            bucket_cap_mb=args.bucket,
            gradient_as_bucket_view=True,
            static_graph=args.static_graph,
        )
        self.optimizer = torch.optim.SGD(self.model.parameters(), args.lr, args.momentum, weight_decay=args.wd)
        self.precision = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(args.amp)  # of autocast, None without
        self.scaler = torch.amp.GradScaler("cuda", enabled=args.amp == "fp16")
        # what a checkpoint holds
        self.parts: dict[str, Any] = {"model": self.model, "optimizer": self.optimizer, "scaler": self.scaler}
        self.clock = Clock(gpu)
        self.meter = metrics.Meter()
        # DDP waits for its peers before the model's forward (buffers) and after the last gradient: that is `sync`.
        self.model.register_forward_pre_hook(lambda *_: self.watch.phase("fwd"))
        next(self.model.parameters()).register_hook(self._gradients_ready)
        self.batch = args.batch_size * args.accum * self.place.world  # samples of one step, over all ranks
        if self.batch > self.source.count:
            text = f"{self.source.count} samples are less than one global batch of {self.batch}"
            raise Fault(DATA, text, (), "lower -b")
        self.schedule = self.rates()
        self.step = 0  # the last step taken, counted over all attempts
        self.epoch = 0  # of that step
        self.cursor = 0  # samples of this epoch that are behind: world size and batch may change, samples do not
        self.about: dict[str, Any] = {}  # what its checkpoints are of
        self.reached = 0  # the last step that an earlier attempt took: up to it, steps are repeated
        self.progress = 0  # descriptor of the file that tells it to the next attempt, 0 = none
        self.last_micro_batch = False  # after this one gradients are exchanged
        self.earlier_notes: list[Any] = []  # the notes of the step before and their event, on a GPU
        self.loss = float("nan")  # mean over the ranks
        self.steps_not_finite = 0  # in a row, by the loss
        self.stopping = 0  # the exit code, once a rank was asked to stop
        self.saving = False  # a rank was asked to save
        self.save_seconds = 0.0  # seconds that the last save took
        if self.place.rank == 0 and self.place.world > 1:
            count = max(1, -(-self.grad_bytes // int(args.bucket * 1024 * 1024)))
            rest = "s" if count > 1 else ": no overlap, right for measuring the network only"
            ctx.log.say(f"{self.grad_bytes} gradient bytes in about {count} bucket{rest}")

    @property
    def seen(self) -> int:
        """Samples since the beginning."""
        return self.epoch * self.source.count + self.cursor

    @property
    def done(self) -> bool:
        """``--iter`` asks for steps, ``--epochs`` for samples, whatever the batches were in which they came."""
        if self.args.iter:
            return bool(self.step >= self.args.iter)
        return bool(self.seen >= self.args.epochs * self.source.count)

    def rates(self) -> Schedule:
        """The learning rate by the samples that are behind."""
        args, epoch = self.args, self.source.count
        total = samples_of(args.iter, self.batch, epoch) if args.iter else args.epochs * epoch
        return Schedule(args.lr_scheduler, args.lr, args.lr_warmup_epochs * epoch, epoch, total)

    def samples(self, split: str) -> data.Source:
        """Generated ones, or those that the check of the data found."""
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
        """Hook of the first parameter, whose gradient is the last to come."""
        if self.last_micro_batch:
            self.clock.mark("ready")
            self.watch.phase("sync")
        return gradient

    def autocast(self) -> torch.autocast:
        """What ``--amp`` asks for, in training and evaluation."""
        return torch.autocast(self.ctx.device.type, self.precision, enabled=self.precision is not None)

    def laid_out(self, images: Tensor) -> Tensor:
        """Images in the memory order of the weights."""
        return images.contiguous(memory_format=self.layout)

    # -- one step -----------------------------------------------------------------------------------------------------
    def train_step(self, images: Tensor, labels: Tensor, taken: int) -> None:
        """One step of the optimizer on this rank's part of the batch, in ``--accum`` micro-batches.

        ``taken`` is the number of samples that count, over all ranks: less than the batch in an epoch's last step.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = self.schedule.rate(self.seen)
        self.clock.mark("begin")
        accum, total_loss = self.args.accum, torch.zeros((), device=images.device)
        left = data.share(taken, self.place.rank, self.place.world)  # samples that count, of this rank
        for number, (x, y) in enumerate(zip(images.chunk(accum), labels.chunk(accum), strict=True), 1):
            self.last_micro_batch = self.ddp.require_backward_grad_sync = number == accum
            self.watch.phase("sync")
            with self.autocast():
                loss = self.micro_loss(self.ddp(self.laid_out(x)), y, min(left, len(y)), taken)
            left -= min(left, len(y))
            self.watch.phase("bwd")
            total_loss += loss.detach()
            scaled = self.scaler.scale(loss)
            if self.last_micro_batch:
                note = self.note(total_loss)
                # Where the parameter is zero this adds nothing to the loss, and its gradient is the note.
                scaled = scaled + self.noted.note @ note
            scaled.backward()  # type: ignore[no-untyped-call]
        self.clock.mark("end")
        self.watch.phase("bwd")
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()
        self.hear(note)

    def micro_loss(self, logits: Tensor, labels: Tensor, counted: int, taken: int) -> Tensor:
        """What DDP's mean over the ranks, summed over the micro-batches, makes the mean over all samples that count.

        Of this micro-batch these are the first ``counted``, over all ranks ``taken``.
        """
        if taken == self.batch:
            return cross_entropy(logits, labels) / self.args.accum
        return cross_entropy(logits[:counted], labels[:counted], reduction="sum") * self.place.world / taken

    def note(self, total: Tensor | None = None) -> Tensor:
        """This rank's flags, and the loss where there is one."""
        signals = self.ctx.signals
        flags = [signals.code == STOPPED, signals.code == INTERRUPTED, signals.save]
        if total is None:
            return torch.tensor([0, 0, 0, *flags], dtype=torch.float32)
        signals.save, good = False, total.isfinite()
        loss = torch.stack([good, total.nan_to_num(0.0, 0.0, 0.0), ~good])
        return torch.cat([loss, torch.tensor(flags).to(loss.device, non_blocking=True)])

    def hear(self, note: Tensor) -> None:
        """Reads what DDP made of the notes of all ranks."""
        mean, self.noted.note.grad = self.noted.note.grad, None
        assert mean is not None
        for mine, every in [(note, mean)] if mean.is_cpu else self.late(note, mean):
            self.read(mine, every)

    def late(self, note: Tensor, mean: Tensor) -> list[tuple[Tensor, Tensor]]:
        """On a GPU the notes of the step before, so that this one is not waited for; none at the first step."""
        before, copied = self.earlier_notes, torch.cuda.Event()  # type: ignore[no-untyped-call]
        self.earlier_notes = [(note.to("cpu", non_blocking=True), mean.to("cpu", non_blocking=True), copied)]
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
            self.steps_not_finite = self.steps_not_finite + 1 if bad else 0
        self.stopping = STOPPED if term else INTERRUPTED if interrupt else 0
        self.saving = bool(save)
        if self.steps_not_finite >= 3:
            self.watch.phase("sync")
            everyone = gather([float(mine[BAD])], self.ctx.control)
            culprits = [rank for rank, (flag,) in enumerate(everyone) if flag]
            text = f"loss not finite for 3 steps, at step {self.step + 1} on ranks {culprits}"
            raise Fault(NOT_FINITE, text, culprits, "lower --lr, or use --amp bf16")
