"""Containers beside the program under a level that forbids root: whose user nobody says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lower.lowering import built

RESTRICTED: dict[str, Any] = {"podSecurity": "restricted", "kubernetes": "1.31"}


@pytest.mark.parametrize(
    ("words", "beside", "cluster", "found"),
    [
        ({"user": 1000}, {}, RESTRICTED, True),
        ({"user": 1000}, {"security": {"group": 7}}, RESTRICTED, True),
        ({"user": 1000}, {"security": {"user": 7}}, RESTRICTED, False),
        # who gives the program none either may have images that are nobody's root
        ({}, {}, RESTRICTED, False),
        ({"user": 1000}, {}, {"kubernetes": "1.31"}, False),
        ({"user": 1000, "nonRoot": None}, {}, RESTRICTED, False),
    ],
)
def test_a_container_that_must_not_be_root_has_a_user(
    words: dict[str, Any], beside: dict[str, Any], cluster: dict[str, Any], found: bool
) -> None:
    job = {"target": "JobSet", "security": words}
    for group in ("init", "sidecars"):
        result = built({**job, group: {"log": {"command": ["tail"], **beside}}}, cluster)
        said = [(one["severity"], one["message"]) for one in result.diagnostics if "must not be root" in one["message"]]
        message = "the container `log` must not be root, and nobody says its user"
        assert said == ([("warning", message)] if found else [])
        if found:
            (helps,) = [one["helps"] for one in result.diagnostics if one["message"] == message]
            assert helps == ["write `security: {user: 1000}` in it, or a user that its image has"]
