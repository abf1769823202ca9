"""What a shell's text calls: the commands in it, and where they stand."""

from __future__ import annotations

import pytest

from specgen.operators.kubernetes.script import commands

# A text → its commands, as `LINE: assignments | words`; `>` marks one that is redirected, `-` one that reads a pipe.
CASES = [
    ("srun python a.py", ["1: | srun python a.py"]),
    ("cd /w && exec srun x; y || z &\nwait", ["1: | cd /w", "1: | exec srun x", "1: | y", "1: | z", "2: | wait"]),
    ("A=1 B='2 3' x | tee f", ["1: A=1 B=2 3 | x", "1: | tee f -"]),
    ("srun --image=nvcr.io#a/b:1 x # of one word", ["1: | srun --image=nvcr.io#a/b:1 x"]),
    ("srun x \\\n  --lr 1 \\\n  --a\ny", ["1: | srun x --lr 1 --a", "4: | y"]),
    ("x $(scontrol show hostnames $N | head -n1) y", ["1: | x $(scontrol show hostnames $N | head -n1) y"]),
    ('x "$(a "b c")" `d e` ${f:-g h}', ['1: | x $(a "b c") `d e` ${f:-g h}']),
    ("if srun x; then y; else z; fi", ["1: | srun x", "1: | y", "1: | z"]),
    ("for i in 1 2; do\n  srun x $i\ndone", ["1: | for i in 1 2", "2: | srun x $i"]),
    ("x > log 2>&1 &> all <in", ["1: | x >"]),
    ("cat <<END > f\nsrun no\nEND\nsrun yes", ["1: | cat >", "4: | srun yes"]),
    ("cat <<-'END'\n\tsrun no\n\tEND\nx <<< srun", ["1: | cat >", "4: | x >"]),
    ("# srun\n#SBATCH -N 2\n\n(x 2) 2> err", ["4: | x 2"]),
    ("x --n 2>err 3", ["1: | x --n 3 >"]),
    ("A=(b 'c d') x (y)", ["1: A=(b 'c d') | x", "1: | y"]),
    ("x 'a", ["1: | x a"]),
    ('x "$(', ["1: | x $("]),
    ("x `a", ["1: | x `a"]),
    ("x \\", ["1: | x "]),
    ("x <<", ["1: | x >"]),
    ("x <<END\nno end", ["1: | x >"]),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text for text, _ in CASES])
def test_commands_of_a_text(text: str, expected: list[str]) -> None:
    found = list(commands(text))
    assert [
        " ".join([f"{one.line}:", *(word.text for word in one.sets), "|", *(word.text for word in one.words)])
        + " >" * one.redirected
        + " -" * one.piped
        for one in found
    ] == expected
    for one in found:
        whole = [*one.sets, *one.words]
        assert (one.start, one.end) == (whole[0].start, whole[-1].end)
        assert all(word.text in text or set(text[word.start : word.end]) & {"'", '"', "\\"} for word in whole)


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("srun x", "srun"),
        ("exec srun x", "srun"),
        ("time -p srun x", "srun"),
        ("A=1 env -i B=2 /opt/bin/srun x", "/opt/bin/srun"),
        ("numactl --cpunodebind=0 mpirun x", "mpirun"),
        ("exec", None),
        ("A=1", None),
    ],
)
def test_the_program_of_a_command(text: str, program: str | None) -> None:
    (one,) = commands(text)
    assert (one.words[one.program].text if one.program is not None else None) == program
