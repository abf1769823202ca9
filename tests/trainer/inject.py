"""What the failure tests break in one rank, by name. Runs in that rank before the trainer starts."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import torch

from trainer import ckpt, data, files, loop, models, training, watch


def replace(owner: object, **what: object) -> None:
    """Other parts for a module or a class, under the names that they have there."""
    for name, part in what.items():
        setattr(owner, name, part)


def at_step(step: int, action: Callable[[], None]) -> None:
    """Calls `action` in place of the batch of one step."""
    real = data.Source.batches

    def batches(self: Any, steps: Any) -> Any:
        for number, batch in enumerate(real(self, steps), 1):
            if number == step:
                action()
            yield batch

    replace(data.Source, batches=batches)


def stall(step: int, seconds: float = 1000.0) -> None:
    at_step(step, lambda: time.sleep(seconds))


def hold_gil(step: int, seconds: int = 1000) -> None:
    """A native call that does not let go of the GIL: no other thread of Python runs meanwhile."""
    at_step(step, lambda: ctypes.PyDLL(None).sleep(seconds))


def crash(step: int, text: str) -> None:
    def action() -> None:
        raise ValueError(text)

    at_step(step, action)


def die(step: int, number: int = signal.SIGKILL) -> None:
    at_step(step, lambda: os.kill(os.getpid(), number))


def group_signal(step: int, number: int) -> None:
    """As a shell or a container runtime does it: the signal goes to the workers too."""
    at_step(step, lambda: os.killpg(0, number))


def slow(seconds: float, step_from: int = 1) -> None:
    """A rank whose computation takes longer."""
    real = models.build

    def build(arch: str, classes: int) -> Any:
        model = real(arch, classes)
        model.register_forward_hook(lambda *_: time.sleep(seconds))
        return model

    replace(models, build=build)


def not_finite(step: int) -> None:
    real = training.Training.train_step

    def train_step(self: Any, x: Any, *more: Any) -> None:
        real(self, x * float("nan") if self.step + 1 >= step else x, *more)

    replace(training.Training, train_step=train_step)


class Written:
    """A file opened for a checkpoint: `before` is called with the bytes written so far, before each write."""

    def __init__(self, file: Any, before: Callable[[int], None]) -> None:
        self.file, self.before, self.bytes = file, before, 0
        self.flush, self.fileno = file.flush, file.fileno

    def write(self, block: bytes) -> int:
        self.before(self.bytes)
        self.bytes += len(block)
        return int(self.file.write(block))

    def __enter__(self) -> Written:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


def on_write(before: Callable[[int], None], opening: Callable[[], None] = lambda: None) -> None:
    """Every checkpoint that is written goes through `before`."""

    def opened(path: str, mode: str = "r", **how: Any) -> Any:
        if mode != "wb":
            return open(path, mode, **how)
        opening()
        return Written(open(path, mode), before)

    replace(ckpt, open=opened)


def disk_full(after: int, times: int = 1000) -> None:
    """ENOSPC in the middle of the file, from the `after`-th save on."""
    saves = [0]

    def begin() -> None:
        saves[0] += 1

    def write(written: int) -> None:
        if after <= saves[0] < after + times and written > 100_000:
            raise OSError(28, "No space left on device")

    on_write(write, begin)


def die_in_save(save: int, call: int) -> None:
    """SIGKILL before the `call`-th operation on files of the `save`-th checkpoint."""
    real_save, count = ckpt.Store.save, [0, 0]

    def operation(*_: Any) -> None:
        if count[0] == save:
            count[1] += 1
            if count[1] == call:
                os.kill(os.getpid(), signal.SIGKILL)

    def guarded(real: Callable[..., Any]) -> Callable[..., Any]:
        def call_it(*args: Any, **kwargs: Any) -> Any:
            operation()
            return real(*args, **kwargs)

        return call_it

    def save_it(self: Any, *args: Any) -> None:
        count[0] += 1
        real_save(self, *args)
        count[0] += 1000 if count[0] == save else 0

    replace(ckpt.Store, save=save_it)
    operations = Operations(os, guarded)
    replace(files, os=operations)
    replace(ckpt, os=operations, put=guarded(files.put))
    on_write(operation, operation)


class Operations:
    """The module `os` with the calls that change the disk guarded."""

    def __init__(self, real: Any, guard: Callable[..., Any]) -> None:
        self.real = real
        for name in ("fsync", "replace", "unlink"):
            setattr(self, name, guard(getattr(real, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def term_in_save(save: int) -> None:
    real, count = ckpt.Store.save, [0]

    def save_it(self: Any, *args: Any) -> None:
        count[0] += 1
        if count[0] == save:
            os.kill(os.getpid(), signal.SIGTERM)
        real(self, *args)

    replace(ckpt.Store, save=save_it)


def term_in_eval() -> None:
    real = loop.evaluate

    def evaluate(t: Any, saved: int) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        real(t, saved)

    replace(loop, evaluate=evaluate)


def tell_eval() -> None:
    """Each batch of an evaluation says in which type and memory order the model was asked."""
    real = loop.evaluate

    def tell(model: Any, inputs: Any, logits: torch.Tensor) -> None:
        order = "NHWC" if inputs[0].is_contiguous(memory_format=torch.channels_last) else "NCHW"
        print(f"evaluates in {logits.dtype} {order}", flush=True)

    def evaluate(t: Any, saved: int) -> None:
        hook = t.model.register_forward_hook(tell)
        real(t, saved)
        hook.remove()

    replace(loop, evaluate=evaluate)


def clock_jump(step: int, seconds: float) -> None:
    """The wall clock is set forward; the watchdog must not care."""
    real = time.time

    def action() -> None:
        replace(time, time=lambda: real() + seconds)

    at_step(step, action)


def version(text: str) -> None:
    replace(torch, __version__=text)


def chdir(folder: str, how: str = "link") -> None:
    """Into a directory of this pod alone; with `link` the relative path `data` means the pod's own copy."""
    os.chdir(folder)
    if how == "link" and not os.path.exists("data"):
        os.symlink(".", "data")


def linger(seconds: float) -> None:
    """The last barrier is behind this rank, but it is slow to leave: the others end before it looks up."""
    real = watch.Watch.leave

    def leave(self: Any, fault: Any) -> Any:
        if threading.current_thread() is threading.main_thread():
            time.sleep(seconds)
        real(self, fault)

    replace(watch.Watch, leave=leave)


def trace(seconds: float = 3.0) -> None:
    """Where this rank is after some seconds, for people who look for a hang."""
    faulthandler.dump_traceback_later(seconds, exit=False)
