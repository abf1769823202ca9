"""The page of exit codes: what the trainer promises of a code is what the operators that look at codes make of it."""

from __future__ import annotations

import pytest

from specgen.operators import lifecycle as facts
from specgen.reference.becoming import Compiler, targets
from specgen.reference.exit_codes import codes, exit_codes_page
from specgen.reference.page import text
from specgen.tables.trainer_contract import CONTRACT
from tests.bad.every_node import specgen

KINDS = ("PyTorchJob", "TFJob")


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_is_what_the_operator_makes_of_the_code(kind: str) -> None:
    outcome = Compiler().outcome({"lifecycle": {"restart": "ExitCode"}}, {}, targets()[kind])
    assert outcome.expansion is not None and outcome.expansion.lifecycle is not None
    life = outcome.expansion.lifecycle
    found = {}
    for code, (said, _) in codes().items():
        if not code:
            continue  # it is no failure
        failure = life.failure(life.success.roles[0], code, crowded=True)
        assert failure is not None
        found[code] = {facts.FAILED: "permanent", facts.RECREATED: "retryable"}[failure.steps[0].outcome], said
    assert [code for code, (made, said) in found.items() if made != said] == [1], "torchrun's says nothing of a fault"


def test_what_was_measured_is_of_known_codes() -> None:
    found = {one["exit"] for one in CONTRACT["measured"]}
    assert found <= set(codes()) and {64, 65, 70, 74, 76, 79, 81, 130, 138, 143} <= found


def test_the_page() -> None:
    page = text(exit_codes_page(Compiler()))
    assert specgen("explain", "138") == specgen("explain", "exit codes") == (0, page, "")
    for kind in targets():
        assert f"`{kind}` with `OnFailure`" in page
    assert "`TFJob` with `ExitCode`: after `1`, `64`" in page
    assert specgen("explain", "139")[0] == 2
