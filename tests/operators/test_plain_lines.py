"""A command line that is plain at first sight has nothing wrong in it at the second: no slip is passed over."""

from __future__ import annotations

from itertools import product

from specgen.operators.kubernetes.argv import slips
from specgen.operators.kubernetes.shell import BUILTINS, JOINS, REDIRECTIONS, is_plain, names_launcher

FIRST = ("python", "/usr/bin/env", "/opt/venv/bin/torchrun", "accelerate", "bash", "dash", *BUILTINS, "--model")
LATER = ("train.py", "-m", "-c", "torch.distributed.run", "accelerate.commands.launch", "$A", "${A}", "$(A)", "a b")


def test_what_looks_plain_is() -> None:
    seen = 0
    for first, *rest in product(FIRST, (*LATER, *JOINS, *REDIRECTIONS), ("", *LATER, *JOINS, *REDIRECTIONS)):
        words = [word for word in (first, *rest) if word]
        if list(slips(words, len(words))):
            seen += 1
            assert not is_plain(words), words
    assert seen > 500


def test_a_program_with_its_arguments_is_plain() -> None:
    assert is_plain(["python", "-u", "train.py", "--epochs=3", "--data", "/data"]) and is_plain([])
    assert is_plain(["--lr", "1"], program=False) and not is_plain(["--lr", "1"])
    assert not names_launcher(["python", "train.py"]) and names_launcher(["sh", "-c", "torchrun a.py"])
