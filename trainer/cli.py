"""The command line: flags and ``TRAINER_*`` variables, checked against the environment, and the commands. No torch."""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from trainer import __version__
from trainer.config import CONFIGS, BenchConfig, C, Config, PreflightConfig, TrainConfig, flags_of
from trainer.env import Place, resolve
from trainer.faults import HARDWARE, MEANING, USAGE, Fault
from trainer.flags import COMMANDS, ELSEWHERE, contradiction


class Parser(argparse.ArgumentParser):
    """Refuses with a Fault, where argparse would print and exit with 2."""

    def error(self, message: str) -> NoReturn:
        raise Fault(USAGE, message.replace("argument ", ""))


def parse(
    kind: type[C], argv: Sequence[str], env: Mapping[str, str], changed: Mapping[str, Any] | None = None
) -> tuple[C, dict[str, str]]:
    """Values and where each came from: default, ``TRAINER_<NAME>`` or command line. Raises Fault(64)."""
    flags = flags_of(kind)
    codes = "; ".join(f"{code} {meaning} ({kind})" for code, (kind, meaning) in MEANING.items())
    parser = Parser(
        prog=f"trainer {kind.command}",
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
        epilog=f"Exit codes: {codes}. Each flag is also read from TRAINER_<NAME>.",
    )
    if kind is not BenchConfig:
        parser.add_argument("data", nargs="?", metavar="DATA", help="data directory, as --data")
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for one in flags:
        how: dict[str, Any] = {"type": one.type, "choices": one.choices or None}
        if one.type is bool:
            how = {"action": argparse.BooleanOptionalAction if one.default else "store_true"}
        elif one.key == "spawn":
            how |= {"nargs": "?", "const": 0}
        values[one.key], origin[one.key] = (changed or {}).get(one.key, one.default), "default"
        given = "" if values[one.key] in {None, ""} or one.type is bool else f" (default: {values[one.key]})"
        parser.add_argument(*one.names, dest=one.key, help=one.help + given, **how)
        name = f"TRAINER_{one.key.upper()}"
        if name in env:
            try:
                values[one.key], origin[one.key] = one.read(env[name]), name
            except ValueError:
                wanted = ", ".join(one.choices) or one.type.__name__
                raise Fault(USAGE, f"`{name}={env[name]}` is none of: {wanted}") from None
    told, unknown = parser.parse_known_args(list(argv))
    if unknown:
        word, names = unknown[0].split("=")[0], [name for one in flags for name in one.names]
        near = [name for name in (ELSEWHERE.get(word.replace("_", "-")),) if name in names]
        near = near or difflib.get_close_matches(word, names, 1, 0.75)
        raise Fault(USAGE, f"unknown argument `{word}`" + (f", the nearest known one is `{near[0]}`" if near else ""))
    values |= vars(told)
    origin |= dict.fromkeys(vars(told), "command line")
    return kind(**values), origin


def checked(args: C, place: Place) -> C:
    """The arguments, those of old names in the place of today's. Refuses what contradicts each other or the
    environment. Raises Fault(64)."""
    said, url, transport = f"({place.source})", args.dist_url or "", args.dist_backend
    for name, value, real, variable in (
        ("--world-size", args.world_size, place.world, "WORLD_SIZE"),
        ("--expect-world", args.expect_world or None, place.world, "WORLD_SIZE"),
        ("--rank", args.rank, place.rank, "RANK"),
        ("--local-rank", args.local_rank, place.local_rank, "LOCAL_RANK"),
        ("--gpu", args.gpu, place.local_rank, "LOCAL_RANK"),
    ):
        # Before the pod's processes are started, rank and local rank are the pod's, not yet a process's.
        if value is not None and value != real and not (place.spawn and variable != "WORLD_SIZE"):
            raise Fault(USAGE, f"`{name}={value}`, but `{variable}={real}` {said}")
    if url.startswith("tcp://") and place.port and url[6:] != f"{place.master}:{place.port}":
        raise Fault(USAGE, f"`--dist-url={url}`, but the master is `{place.master}:{place.port}` {said}")
    if transport and transport not in {"nccl", "gloo", "mpi"}:
        raise Fault(USAGE, f"`--dist-backend={transport}` is none of nccl, gloo, mpi")
    if transport and args.backend not in {"auto", transport}:
        raise Fault(USAGE, f"`--dist-backend={transport}` contradicts `--backend={args.backend}`")
    for one in flags_of(type(args)):
        value = getattr(args, one.key)
        if flaw := one.flaw(value):
            raise Fault(USAGE, f"`--{one.key.replace('_', '-')}={value}` {flaw}")
    if isinstance(args, TrainConfig) and args.data and args.dummy:
        raise Fault(USAGE, f"`--dummy` contradicts the data path `{args.data}`")
    if isinstance(args, PreflightConfig) and args.min_busbw and not args.pairs:
        raise Fault(USAGE, f"`--min-busbw={args.min_busbw:g}` is for `--pairs`, which is not given")
    if text := contradiction(vars(args)):
        raise Fault(USAGE, text)
    return dataclasses.replace(args, backend=transport or args.backend)


def main(argv: Sequence[str] | None = None, defaults: Mapping[str, Any] | None = None) -> NoReturn:
    """Runs one command and ends the process with its exit code."""
    command, *rest = list(sys.argv[1:] if argv is None else argv) or [""]
    if command not in COMMANDS:
        print(f"trainer {__version__}: python -m trainer {{{','.join(COMMANDS)}}} [--help]", flush=True)
        raise SystemExit(0 if command in {"-h", "--help"} else USAGE)
    try:
        if command in CONFIGS:
            _job(CONFIGS[command], rest, dict(defaults or {}))
        elif command == "contract":
            from trainer.contract import run as contract

            contract(rest)
        elif command == "guard":
            from trainer.guard.course import run as guard

            raise SystemExit(guard(rest))
        elif not rest or rest[0].startswith("-"):
            raise Fault(USAGE, f"`trainer {command}` needs a directory")
        elif command == "index":
            from trainer.files import make_index

            make_index(rest[0])
        else:
            from trainer.report import run as report

            report(*rest[:2])
    except Fault as fault:
        print(f"trainer: {fault.reason}" + (f" ({fault.remedy})" if fault.remedy else ""), file=sys.stderr, flush=True)
        raise SystemExit(fault.code) from None
    raise SystemExit(0)


def _job(kind: type[Config], argv: list[str], defaults: dict[str, Any]) -> None:
    """What is wrong goes with the place as its ``problem``, because the other ranks must hear of it too."""
    wrong = None
    try:
        args, origin = parse(kind, argv, os.environ, defaults)
    except Fault as fault:
        wrong, (args, origin) = fault, parse(kind, [], {}, defaults)
    place = resolve(os.environ, args.launcher, args.spawn)
    place.problem = wrong or place.problem
    if not place.problem:
        if isinstance(args, TrainConfig) and args.data and origin["dummy"] == "default":
            args = dataclasses.replace(args, dummy=False)
        try:
            args = checked(args, place)
            if type(args) is TrainConfig and not args.data and not args.dummy:
                raise Fault(USAGE, "no data: give a directory or `--dummy`")
        except Fault as fault:
            place.problem = fault
    if place.spawn and not place.problem:
        from trainer.spawn import start

        place = start(place)
    if place.problem:
        _refuse(args, place, place.problem)
    from trainer.signals import Signals

    signals = Signals()
    signals.install()  # before torch, which loads for seconds: PID 1 loses what it does not wait for
    try:
        from trainer.job import run
    except ModuleNotFoundError as error:
        raise Fault(HARDWARE, f"`{error.name}` is not installed", (), "take an image with torch and numpy") from None

    run(args, origin, place, signals)


def _refuse(args: Config, place: Place, fault: Fault) -> None:
    """Says so before torch is loaded; ends the process, too, where no other must be told of it."""
    from trainer.metrics import last_words

    print(f"trainer: {fault.line()}", file=sys.stderr, flush=True)
    last_words(args.termination_log, fault, 0, str)
    if place.world <= 1:
        raise SystemExit(fault.code)
