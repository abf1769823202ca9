"""Manifests among prose: found at the lines of the file, mended where they stand, and nothing else touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgen.document.read import read
from specgen.recognise.markdown import blocks
from specgen.source import Source
from tests.bad.program import specgen

GUIDE = """\
# A guide

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: {spec: {containers: [{name: trainer, image: a:1}]}}
```

Only a part, and no YAML at all:

```yaml
spec:
  nprocPerNode: 8
```

~~~sh
kind: of a thing
apiVersion: 1
~~~

1. In a list:

   ````yml
   apiVersion: kubeflow.org/v1
   kind: TFJob
   metadata: {name: b}
   spec:
     # what stays
     cleanPodPolicy: None
     tfReplicaSpecs:
       Worker:
         replicas: 1
         template: {spec: {containers: [{name: tensorflow, image: a:1}]}}
   ````

The end.
"""


def test_blocks_keep_their_places() -> None:
    found, findings = blocks(Source("g.md", GUIDE))
    assert findings == []
    assert [read(one)[0][0].data["metadata"]["name"] for one in found] == ["a", "b"]
    for one in found:
        assert len(one.text) == len(GUIDE)
        kept = [line for line in one.text.split("\n") if line and not line.startswith("#")]
        assert all(line in GUIDE.split("\n") for line in kept)


@pytest.mark.parametrize("text", ["", "# no block\n", "```yaml\nkind: A\napiVersion: b\n", "```\nkind: A\n```\n"])
def test_what_is_no_block_is_none(text: str) -> None:
    assert blocks(Source("g.md", text)) == ([], [])


def test_lines_are_those_of_the_file_and_fixes_are_written_into_it(tmp_path: Path) -> None:
    file = tmp_path / "g.md"
    file.write_text(GUIDE)
    ended = specgen("lint", "g.md", cwd=tmp_path)
    assert ended.code == 1
    assert "g.md:11:45: error[SG301]" in ended.out and "g.md:34:6: error[SG112]" in ended.out
    ended = specgen("fix", "--unsafe", "g.md", cwd=tmp_path)
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.endswith("1 file clean\n2 problems fixed in 1 file\n")
    moved = "     runPolicy:\n       # what stays\n       cleanPodPolicy: None\n"
    wanted = GUIDE.replace("name: trainer", "name: pytorch")
    assert file.read_text() == wanted.replace("     # what stays\n     cleanPodPolicy: None\n", moved)


def test_a_file_without_manifests_is_not_called_clean(tmp_path: Path) -> None:
    (tmp_path / "g.md").write_text("# no block\n")
    assert specgen("lint", "g.md", cwd=tmp_path).err == "nothing is checked: 1 Markdown file\n"


def test_processes_say_the_same(tmp_path: Path) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(GUIDE)
    one = specgen("lint", "a.md", "b.md", "--format=junit", cwd=tmp_path)
    two = specgen("lint", "a.md", "b.md", "--format=junit", "--jobs=2", cwd=tmp_path)
    assert (one.out, one.code) == (two.out, two.code)
