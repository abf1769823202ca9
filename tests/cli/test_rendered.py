"""Where a kustomization makes the job, the way to it is said in place of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgen.cli.main import main

OVERLAY = "resources: [../base]\n"
NODES = "{kind: Node, metadata: {name: a}, status: {allocatable: {cpu: 8}}}\n"


@pytest.mark.parametrize(("verb", "end"), [("fit", "asked"), ("expand", "expanded")])
@pytest.mark.parametrize(
    ("folder", "file", "named"),
    [
        ("over", "over/kustomization.yaml", "over"),
        (".", "kustomization.yml", "."),
        ("all", "all/west coast/kustomization.yaml", "'all/west coast'"),
    ],
)
def test_a_folder_of_an_overlay_is_led_to_kubectl(
    verb: str,
    end: str,
    folder: str,
    file: str,
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(OVERLAY, "utf-8")
    Path("world").mkdir(exist_ok=True)
    asked = ["--world", "world/nodes.txt"] if verb == "fit" else []
    Path("world/nodes.txt").write_text(NODES, "utf-8")
    code = main([verb, folder, *asked])
    way = f" (a kustomization is rendered first: `kubectl kustomize {named} | specgen {verb} -`)"
    assert (code, capsys.readouterr().err) == (2, f"specgen: no job among these files, nothing is {end}{way}\n")


def test_a_folder_without_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("base").mkdir()
    Path("base/settings.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "utf-8")
    main(["expand", "base"])
    assert capsys.readouterr().err == "specgen: no job among these files, nothing is expanded\n"
