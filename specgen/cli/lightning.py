"""Sizes of Lightning's trainer in a program's own words: they are the job's, and follow it as variables.

As `rules.lightning_sizes` knows them: LightningCLI's options, Hydra's overrides (NeMo), and the plain options of a
program that is seen to be Lightning's.
"""

from __future__ import annotations

import re

from specgen.cli.agreed import uncounted
from specgen.cli.beginning import of_amd
from specgen.operators.kubernetes.launchers import count
from specgen.operators.kubernetes.lightning import is_fabrics
from specgen.rules.lightning_sizes import DEVICES, NODES, PLAIN_DEVICES, PLAIN_NODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

_DEVICES = (*DEVICES, "trainer.gpus", "--trainer.gpus")
_PLAIN_DEVICES = (*PLAIN_DEVICES, "--gpus")
# A shell's, and none of Kubernetes' or a profile's.
_VARIABLE = re.compile(r"\$(\w|\{)")
# More is no number of nodes or devices.
_MOST = 100_000


def bring(options: Namespace, given: tuple[int | None, int | None]) -> None:
    """Takes what nobody else said, and writes variables where the numbers are the job's.

    ``given``: the pods and GPUs that were asked for by options, which win. A launcher's numbers that differ stay beside
    them, and a finding speaks of both. Raises BadQuestion where a shell's variable says a number that nobody else says.
    """
    from specgen.cli.read_by import text_of
    from specgen.operators.kubernetes.self_started import called

    texts = (*options.command, text_of(options.command, ""))
    plain = is_fabrics(options.command) or any("lightning" in text.lower() for text in texts)
    nodes = NODES + (PLAIN_NODES if plain else ())
    devices = _DEVICES + (_PLAIN_DEVICES if plain else ())
    said: list[str] = []
    numbers = options.brought.numbers
    # GPUs by the name of their resource are none that a variable counts
    of_pod = "$<procsPerPod>" if options.cluster is None and of_amd(options.image or "") else "$<gpu>"
    for names, key, variable, own in ((nodes, "pods", "$<pods>", given[0]), (devices, "gpu", of_pod, given[1])):
        for at, start, value in _values(options.command, names):
            # Slurm's variables that follow from the pods are known where it says the numbers
            number = count(numbers.get(value.strip("${}"), "") if value[:1] == "$" else value)
            open_ = number is None and _VARIABLE.match(value) is not None
            if not (open_ or (number and number <= _MOST)) or (key == "gpu" and (options.npu or options.gpu == 0)):
                continue
            written = options.command[at]
            if getattr(options, key) is None and open_:
                raise uncounted(written if start else f"{options.command[at - 1]} {value}", key)
            if getattr(options, key) is None:
                setattr(options, key, number)
            elif own is None and not open_ and getattr(options, key) != number:
                continue
            options.command[at] = f"{written[:start]}{variable}"
            said.append(f"`{variable}` in place of {f'`{value}`' if value[:1] == '$' else value}")
    if not said:
        return
    if options.start is None and (options.pods or 1) > 1 and not called(options.command):
        options.start = "torchrun"
    options.brought.notes.append(f"{' and '.join(said)}: Lightning is told what the job has, also with `--set`.")


def _values(command: list[str], names: tuple[str, ...]) -> list[tuple[int, int, str]]:
    """(which word, where in it, value) of each option that has one of the names."""
    found = []
    for at, word in enumerate(command):
        name, equals, value = word.partition("=")
        if name not in names:
            continue
        if equals:
            found.append((at, len(name) + 1, value))
        elif name.startswith("--") and at + 1 < len(command):
            found.append((at + 1, 0, command[at + 1]))
    return found
