"""What a command line runs, as it is read by everybody who asks a launcher's options."""

from __future__ import annotations

import pytest

from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.calls import calls

_END = "--rdzv-endpoint=$MASTER_ADDR:29400 train.py"


@pytest.mark.parametrize(
    ("text", "options", "open"),
    [
        (f"torchrun --rdzv-id=$(cat /etc/id) {_END}", {"rdzv_id": "$(cat /etc/id)"}, False),
        (
            f"torchrun --nproc-per-node=`nvidia-smi -L | wc -l` {_END}",
            {"nproc_per_node": "`nvidia-smi -L | wc -l`"},
            False,
        ),
        (f"torchrun --nproc-per-node=$(( 4 * 2 )) {_END}", {"nproc_per_node": "$(( 4 * 2 ))"}, False),
        (f'torchrun --rdzv-id="${{JOB:-a b}}" {_END}', {"rdzv_id": "${JOB:-a b}"}, False),
        (
            f'A=(--nnodes=4\n --rdzv-id=x) # y\nA+=(--node-rank 2)\ntorchrun "${{A[@]}}" {_END}',
            {
                "nnodes": "4",
                "rdzv_id": "x",
                "node_rank": "2",
            },
            False,
        ),
        (f'B="--nnodes=4"; export A="$B --rdzv-id=x"; exec torchrun $A {_END}', {"nnodes": "4", "rdzv_id": "x"}, False),
        ("torchrun --nnodes=4 $A train.py", {"nnodes": "4"}, True),
        ('torchrun "${A[@]}" train.py', {}, True),
        ("torchrun $(cat /options) train.py", {}, True),
        ('if [ "$X" ]; then A=--standalone; fi; torchrun $A train.py', {}, True),
        ("source /env.sh; torchrun $A train.py", {}, True),
        ("torchrun --nnodes=4 $HOME/train.py", {"nnodes": "4"}, False),
        ('torchrun --nnodes=4 "$SCRIPT"', {"nnodes": "4"}, False),
        ("timeout 1h bash -c 'cd /w && torchrun --nnodes=4 train.py'", {"nnodes": "4"}, False),
        ("echo use torchrun --standalone; torchrun --nnodes=4 train.py", {"nnodes": "4"}, False),
        ('echo "torchrun --standalone"; torchrun --nnodes=4 train.py', {"nnodes": "4"}, False),
        ("cat > /a.sh <<E\ntorchrun --standalone\nE\ntorchrun --nnodes=4 train.py", {"nnodes": "4"}, False),
        ('if [ "$D" ]; then exec torchrun --standalone; fi; torchrun --nnodes=4 a.py', {"nnodes": "4"}, False),
        (
            'if [ "$R" = 0 ]; then torchrun --nnodes=2 --node-rank=0 a; else torchrun --nnodes=2 --node-rank=1 a; fi',
            {"nnodes": "2"},
            True,
        ),
    ],
)
def test_options_of_a_launcher_in_a_text(text: str, options: dict[str, str], open: bool) -> None:
    line = launchers.of_text(["bash", "-c", text])
    assert line is not None
    said = {name: value for name, (value, _) in line.options.items()}
    if _END in text:
        assert said.pop("rdzv_endpoint") == "$MASTER_ADDR:29400"
    assert (said, line.open) == (options, open)


def test_words_behind_a_text_are_its_own() -> None:
    line = launchers.of_text(["bash", "-c", 'cd /w; exec "$@"', "sh", "torchrun", "--nnodes=2", "train.py"])
    assert line is not None and line.options["nnodes"][0] == "2"


@pytest.mark.parametrize("text", ["pip install deepspeed; python a.py", "command -v torchrun", "LAUNCHER=torchrun"])
def test_names_of_launchers_are_no_calls(text: str) -> None:
    assert launchers.of_text(["sh", "-c", text]) is None


def test_places_are_those_of_the_text() -> None:
    words = (
        "bash",
        "-c",
        "X=1\nOPTIONS=\"--nnodes=4 --a='b'\"; bash -c 'torchrun $@ t.py' sh $OPTIONS; A=(p q); z ${A[@]}",
    )
    for call in calls(words):
        for piece in (*call.sets, *call.pieces):
            if not any(sign in piece.text for sign in "\"' "):
                assert words[piece.at][piece.start : piece.end].strip("\"'") == piece.text


def test_no_text_takes_long() -> None:
    text = "A=x\n" + 'A="$A $A"\n' * 200 + "B=$A\ntorchrun $A\n" * 200
    assert calls(["bash", "-c", text])
    nested = "torchrun"
    for _ in range(12):
        nested = "bash -c '" + nested.replace("'", "'\\''") + "'"
    assert calls(["bash", "-c", nested])
