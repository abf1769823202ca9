"""The specs of JobSets: trees of which a part is another object's."""

from __future__ import annotations

from typing import Any

from specgen.operators.jobset.facts import opened


def test_only_the_way_to_what_may_be_changed_is_new() -> None:
    jobs: list[Any] = [
        {"name": name, "template": {"spec": {"backoffLimit": 1}, "metadata": {"labels": {}}}} for name in "ab"
    ]
    tree: dict[str, Any] = {"replicatedJobs": jobs, "network": {"subdomain": "s"}}
    own = opened(tree, ("replicatedJobs", "template", "spec"))
    assert own == tree
    assert own["network"] is tree["network"]
    for ours, theirs in zip(own["replicatedJobs"], jobs, strict=True):
        ours["template"]["spec"]["backoffLimit"] = 2
        assert theirs["template"]["spec"] == {"backoffLimit": 1}
        assert ours["template"]["metadata"] is theirs["template"]["metadata"]


def test_a_tree_of_another_shape_stays_as_it_is() -> None:
    tree = {"replicatedJobs": [{"template": None}, "text", {}]}
    assert opened(tree, ("replicatedJobs", "template", "spec")) == tree
    assert opened(None, ("spec",)) is None
