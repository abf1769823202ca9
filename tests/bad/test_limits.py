"""Inputs too large, too odd or too binary for the repository: each is made here, and refused within limits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from specgen.document.decode import decode
from specgen.document.read import read
from specgen.source import Source
from tests.bad.program import MEGABYTES, SECONDS, Ended, specgen

HEAD = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: train}\ntarget: PyTorchJob\n"
HEAD += "image: registry.example.com/train:1\n"
MIB = 1024 * 1024


def build(folder: Path, data: bytes | str, seconds: int = SECONDS, megabytes: int = MEGABYTES) -> Ended:
    (folder / "job.yaml").write_bytes(data.encode() if isinstance(data, str) else data)
    return specgen("build", "job.yaml", cwd=folder, seconds=seconds, megabytes=megabytes)


def nested(depth: int) -> str:
    """A profile whose deepest list stands at this depth; the profile itself is the first level, `args` the second."""
    return HEAD + "args: " + "[" * (depth - 1) + "]" * (depth - 1) + "\n"


def items(nodes: int) -> str:
    """A list that, with itself, comes to this many nodes; keys count as nodes too."""
    return "[" + "a," * (nodes - 1) + "]"


def aliased(characters: int) -> str:
    """One text behind many aliases: this many characters after expansion, few before it."""
    text = "x" * 65536
    times, rest = divmod(characters, len(text))
    return f"[&a {text}" + ", *a" * (times - 1) + (f", {'y' * rest}" if rest else "") + "]"


def deep_by_alias(depth: int) -> str:
    """A document with a list of 60 levels, and an alias of it so deep that there are so many levels in all."""
    above = depth - 60 - 1
    return "a: &a " + "[" * 60 + "]" * 60 + "\nb: " + "[" * above + "*a" + "]" * above + "\n"


def repeated(times: int) -> str:
    """Variables of which each is ten times the one before: the last one has ten to the power of so many characters."""
    texts = "".join(f"  v{n}: " + f"$<v{n - 1}>" * 10 + "\n" for n in range(1, times))
    return HEAD + "vars:\n  v0: xxxxxxxxxx\n" + texts + f"env: {{A: $<v{times - 1}>}}\n"


BOMB = HEAD + "args: [" + ("a, " * 1000 + "\n") * 3400 + "]\n"

REFUSED: dict[str, tuple[bytes | str, str]] = {
    "5 MiB and 1 byte": ("#" * (5 * MIB + 1), "1:1: error[SG004] the file is longer than 5,242,880 bytes"),
    "10 MB": (BOMB, "1:1: error[SG004] the file is longer than 5,242,880 bytes"),
    "depth 101": (nested(101), "6:106: error[SG004] the file nests deeper than 100 levels"),
    "2,000 lists": (nested(2000), "6:106: error[SG004] the file nests deeper than 100 levels"),
    "100,000 lists, none closed": ("[" * 100_000, "1:101: error[SG004] the file nests deeper than 100 levels"),
    "100,000 mappings, none closed": ("{a: " * 100_000, "1:401: error[SG004] the file nests deeper than 100 levels"),
    "depth 101 through an alias": (deep_by_alias(101), "2:44: error[SG004] the file nests deeper than 100 levels"),
    "variables of 10 GB": (
        repeated(10),
        "13:7: error[SG004] variables fill in more than 4,194,304 characters from here on",
    ),
    "a variable of 100 kB, a hundred times": (
        HEAD + "vars: {v: " + "x" * 100_000 + "}\nenv:\n" + "".join(f"  A{n}: $<v>\n" for n in range(100)),
        "49:8: error[SG004] variables fill in more than 4,194,304 characters from here on",
    ),
    "variants of a long job": (
        HEAD
        + "env:\n"
        + "".join(f"  A{n}: x\n" for n in range(400))
        + "variants:\n"
        + "".join(f"  v{n}: {{pods: 2}}\n" for n in range(400)),
        "407:1: error[SG004] 401 jobs of this length expand to more than 300,000 nodes",
    ),
    "300,001 nodes": (items(300_001), "1:600000: error[SG004] the file expands to more than 300,000 nodes"),
    "characters": (
        aliased(16 * MIB + 1),
        "1:66563: error[SG004] the file expands to more than 16,777,216 characters",
    ),
    "10,001 documents": ("---\na\n" * 10_001, "20001:1: error[SG004] the file holds more than 10,000 documents"),
    "21 digits": (HEAD + "pods: " + "1" * 21, "6:7: error[SG004] the number has more digits than 64 bits hold"),
    "5,000 digits": (HEAD + "pods: " + "1" * 5000, "6:7: error[SG004] the number has more digits than 64 bits hold"),
    "500,000 digits": (
        HEAD + "pods: " + "1" * 500_000,
        "6:7: error[SG004] the number has more digits than 64 bits hold",
    ),
    "float of 5,000 digits": (
        HEAD + "pods: 1." + "1" * 5000,
        "6:7: error[SG004] the number has more digits than 64 bits hold",
    ),
    "UTF-16 LE with mark": (
        b"\xff\xfe" + HEAD.encode("utf-16-le"),
        "1:1: error[SG001] the file is UTF-16, Kubernetes' tools read UTF-8",
    ),
    "UTF-16 BE with mark": (
        b"\xfe\xff" + HEAD.encode("utf-16-be"),
        "1:1: error[SG001] the file is UTF-16, Kubernetes' tools read UTF-8",
    ),
    "UTF-16 LE": (HEAD.encode("utf-16-le"), "1:1: error[SG001] the file is UTF-16, Kubernetes' tools read UTF-8"),
    "UTF-16 BE": (HEAD.encode("utf-16-be"), "1:1: error[SG001] the file is UTF-16, Kubernetes' tools read UTF-8"),
    "UTF-32 LE with mark": (
        b"\xff\xfe\0\0" + HEAD.encode("utf-32-le"),
        "1:1: error[SG001] the file is UTF-32, Kubernetes' tools read UTF-8",
    ),
    "not UTF-8": (HEAD.encode() + b"workdir: /d\xe4ta\n", "6:12: error[SG001] byte 0xe4 is not UTF-8"),
    "not UTF-8, wide": ("# 中é\nworkdir: /é".encode() + b"\xff\n", "2:12: error[SG001] byte 0xff is not UTF-8"),
    "NUL": (HEAD + "workdir: /\0\n", "6:11: error[SG001] the file holds a NUL character"),
    "NUL at the end": (HEAD + "\0", "6:1: error[SG001] the file holds a NUL character"),
    "mark alone": (b"\xef\xbb\xbf", "1:1: error[SG006] the file holds no profile"),
    "two marks": (
        b"\xef\xbb\xbf\xef\xbb\xbf" + HEAD.encode(),
        "1:1: error[SG001] the file begins with two byte-order marks",
    ),
    "CRLF": (
        HEAD.replace("\n", "\r\n") + "pods: x\r\n",
        '6:7: error[SG103] `pods` takes a whole number, not the text `"x"`',
    ),
    # CR alone ends a line of YAML, not one of an editor: the column counts on
    "CR": (
        HEAD.replace("\n", "\r") + "pods: x\r",
        '1:119: error[SG103] `pods` takes a whole number, not the text `"x"`',
    ),
    "mark, then an error": (
        b"\xef\xbb\xbfpods: x\n",
        "1:1: error[SG110] the profile has no `apiVersion` and no `kind`",
    ),
    "C1 control": (HEAD + "workdir: /\x9b31m\n", "6:11: error[SG001] control character U+009B is not allowed in YAML"),
    "binary": (bytes(range(256)) * 8, "2:118: error[SG001] byte 0x80 is not UTF-8"),
    "gzip": (
        b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + bytes(range(128, 256)),
        "1:2: error[SG001] byte 0x8b is not UTF-8",
    ),
    "200,000 merge steps": (
        "a: &a {" + ", ".join(f"k{i}: v" for i in range(1000)) + "}\nb: [" + "{<<: *a}, " * 400 + "]\n",
        "2:1000: error[SG004] the file expands to more than 300,000 nodes",
    ),
    "many comments": ("# x\n" * 400_000, "1:1: error[SG006] the file holds no profile"),
    "long key": (
        HEAD + "k" * 2000 + ": a\n",
        "6:2001: error[SG002] the file is not YAML from here on: could not find expected ':'",
    ),
    "sexagesimal of 100,000 parts": (
        HEAD + "pods: 1" + ":59" * 100_000,
        '6:7: error[SG103] `pods` takes a whole number, not the text `"1' + ":59" * 19 + ':…"`',
    ),
    "underscores": (
        HEAD + "pods: 1" + "_" * 300_000,
        "6:7: error[SG010] the value `1"
        + "_" * 199
        + "…` without quotes is `1` to Kubernetes and something else to other readers",
    ),
    "open quote of 1 MB": (
        HEAD + 'workdir: "' + "x" * MIB,
        "6:10: error[SG002] the quote that opens here is never closed",
    ),
    "aliases without end": (
        HEAD + "args: [&a x" + ", *a" * 400_000 + "]\n",
        "6:1199950: error[SG004] the file expands to more than 300,000 nodes",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_within_seconds_and_200_mb(tmp_path: Path, name: str) -> None:
    data, line = REFUSED[name]
    ended = build(tmp_path, data)
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
    # what may follow is the help
    assert ended.err.startswith((f"job.yaml:{line}\n", f"job.yaml:{line} ("))


ACCEPTED = {
    "5 MiB": "#" * (5 * MIB),
    "depth 100": "a: " + "[" * 99 + "]" * 99,
    "depth 100 through an alias": deep_by_alias(100),
    "300,000 nodes": items(300_000),
    "characters": aliased(16 * MIB),
    "10,000 documents": "---\na\n" * 10_000,
    "the largest integer": f"a: {2**63 - 1}",
    "the least integer": f"a: -{2**63}",
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_limit_itself_is_still_accepted(name: str) -> None:
    source, findings = decode("job.yaml", ACCEPTED[name].encode())
    assert findings == []
    assert source is not None
    assert [finding.message for finding in read(source)[1]] == []


def test_many_findings_stay_within_seconds_and_300_mb(tmp_path: Path) -> None:
    """A slow machine takes more than three; what costs more than in proportion takes minutes."""
    text = "apiVersion: specgen/v1\nkind: Job\n" + "".join(f"k{number}: a\n" for number in range(50_000))
    ended = build(tmp_path, text, seconds=8, megabytes=300)
    lines = ended.err.splitlines()
    assert ended.code == 1
    assert lines[0].startswith("job.yaml:1:1: error[SG102] a job profile lacks `metadata`")
    assert len(lines) == 51
    assert lines[50] == "and 49951 more in job.yaml"


def test_files_of_a_run_are_64_mib_together(tmp_path: Path) -> None:
    """Twelve files of 5 MiB fit, the thirteenth does not; every file is still reported by itself."""
    big = HEAD.encode() + b"#" * (5 * MIB - len(HEAD))
    names = [f"{number:02}.yaml" for number in range(13)]
    for name in names:
        (tmp_path / name).write_bytes(big.replace(b"name: train", b"name: t-" + name[:2].encode() + b" "))
        (tmp_path / name).write_bytes((tmp_path / name).read_bytes()[: 5 * MIB])
    ended = specgen("build", *names, cwd=tmp_path, seconds=3, megabytes=300)
    assert (ended.code, ended.out) == (1, "")
    said = "12.yaml:1:1: error[SG004] the files of this run are longer than 67,108,864 bytes together"
    assert ended.err == f"{said} (`--max-input MIB` reads more)\n"
    # of many jobs nobody knows what the checkout of all of them fills
    more = specgen("build", "--max-input", "65", "-q", *names, cwd=tmp_path, seconds=3, megabytes=400)
    assert (more.code, more.err) == (0, "")
    assert specgen("lint", "--max-input", "0", *names, cwd=tmp_path).code == 2


BASE = "apiVersion: specgen/v1\nkind: Base\nmetadata: {name: b}\n"


def test_a_file_that_is_named_has_all_of_what_the_run_is_given(tmp_path: Path) -> None:
    """What kubectl prints of a large cluster is longer than 5 MiB; no file that a profile names is."""
    filler = "#" * (6 * MIB)
    (tmp_path / "job.yaml").write_text(f"{HEAD}{filler}\n", "utf-8")
    ended = specgen("build", "-q", "job.yaml", cwd=tmp_path)
    said = "job.yaml:1:1: error[SG004] the file is longer than 5,242,880 bytes"
    assert (ended.code, ended.err) == (1, f"{said} (`--max-input MIB` of more than 64 reads it)\n")
    ended = specgen("build", "-q", "--max-input", "65", "job.yaml", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    (tmp_path / "base.yaml").write_text(f"{BASE}{filler}\n", "utf-8")
    (tmp_path / "job.yaml").write_text(f"{HEAD}extends: base.yaml\n", "utf-8")
    ended = specgen("build", "-q", "--max-input", "65", "job.yaml", cwd=tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert "SG004" in ended.err and "5,242,880" in ended.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n" * 400_000, []),
        ("- &a [" + "x," * 20_000 + "]\n" + "- *a\n" * 100, ["the file expands to more than 1,310,720 nodes"]),
        (f"- &a '{'x' * MIB}'\n" + "- *a\n" * 40, ["the file expands to more than 31,457,280 characters"]),
        ("---\n" * 30_000, ["the file holds more than 20,971 documents"]),
    ],
    ids=["a long list", "nodes", "characters", "documents"],
)
def test_a_long_file_grows_by_its_own_length(text: str, said: list[str]) -> None:
    source = Source("long.yaml", text + "#" * (10 * MIB - len(text)))
    assert [finding.message for finding in read(source)[1]] == said


def test_a_base_that_many_name_is_read_and_laid_once(tmp_path: Path) -> None:
    """Sixteen diamonds on top of each other are 17 files, and not 65,536 layers."""
    (tmp_path / "b16.yaml").write_text(BASE + "env: {A: '16'}\n", "utf-8")
    for n in range(16):
        twice = f"extends: [b{n + 1}.yaml, b{n + 1}.yaml]\n"
        (tmp_path / f"b{n}.yaml").write_text(BASE + twice, "utf-8")
    ended = build(tmp_path, HEAD + "extends: b0.yaml\n", seconds=1)
    assert (ended.code, ended.err) == (0, "")
    assert 'value: "16"' in ended.out


def test_a_profile_stands_on_a_hundred_bases_at_most(tmp_path: Path) -> None:
    for n in range(1500):
        (tmp_path / f"b{n}.yaml").write_text(BASE + f"extends: b{n + 1}.yaml\n", "utf-8")
    (tmp_path / "b1500.yaml").write_text(BASE, "utf-8")
    (tmp_path / "b98.yaml").write_text(BASE + "extends: [b99.yaml, b100.yaml]\n", "utf-8")
    (tmp_path / "b99.yaml").write_text(BASE, "utf-8")
    ended = build(tmp_path, HEAD + "extends: b0.yaml\n")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "b98.yaml:4:21: error[SG004] the profile extends more than 100 others, all told\n"
    (tmp_path / "b98.yaml").write_text(BASE + "extends: b99.yaml\n", "utf-8")
    assert build(tmp_path, HEAD + "extends: b0.yaml\n").code == 0


def test_blocks_of_markdown_are_read_up_to_a_limit(tmp_path: Path) -> None:
    """Each block is read with the lines around it, so that its places are those of the file."""
    block = "```yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n```\n"
    (tmp_path / "a.md").write_text(("word " * 200 + "\n") * 1000 + block * 40, "utf-8")
    ended = specgen("lint", "a.md", cwd=tmp_path, seconds=5)
    assert ended.code == 1
    said = "error[SG004] of Markdown of this length 16 blocks of YAML are read, and this is one more (split the file)"
    assert ended.out == f"a.md:1082:1: {said}\n"


def test_no_device_or_fifo_is_read_in_the_place_of_a_list_or_a_baseline(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", "utf-8")
    os.symlink("/dev/zero", tmp_path / ".specgen-owned")
    assert specgen("fix", "a.yaml", cwd=tmp_path).code == 0
    os.unlink(tmp_path / ".specgen-owned")
    for name in (".specgen-owned", "base.json"):
        os.mkfifo(tmp_path / name)
    assert specgen("fix", "a.yaml", cwd=tmp_path).code == 0
    ended = specgen("lint", "--write-baseline", "base.json", "a.yaml", cwd=tmp_path)
    assert ended.code == 2 and "nobody reads this pipe" in ended.out + ended.err
    assert (tmp_path / "base.json").is_fifo()


def test_a_file_of_gigabytes_is_refused_with_nothing_of_it_shown(tmp_path: Path) -> None:
    with open(tmp_path / "big.yaml", "wb") as file:
        file.truncate(3 * 1024 * MIB)
    ended = specgen("lint", "--format=human", "big.yaml", cwd=tmp_path, seconds=1)
    assert ended.code == 1
    assert ended.out.startswith("error[SG004]: the file is longer than 5,242,880 bytes\n --> big.yaml:1:1\n")


def test_a_byte_order_mark_and_crlf_change_nothing(tmp_path: Path) -> None:
    plain = build(tmp_path, HEAD)
    assert plain.code == 0
    assert build(tmp_path, b"\xef\xbb\xbf" + HEAD.encode()).out == plain.out
    assert build(tmp_path, HEAD.replace("\n", "\r\n")).out == plain.out


# a text, and the last of its problems that is reported, which is that number of them
PROBLEMS = {
    "a key 100,000 times": ("env:\n" + "  A: b\n" * 100_000, 1001, "1007:3: error[SG004] the file has more than 1,000"),
    "100,000 lines of dashes": ("---a\n" * 100_000, 1000, "1005:4: error[SG005] kubectl refuses a line that begins"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems_of_one_text_are_counted_to_a_thousand(name: str) -> None:
    text, number, said = PROBLEMS[name]
    source, _ = decode("a.yaml", (HEAD + text).encode())
    assert source is not None
    _, findings = read(source)
    assert number <= len(findings) <= number + 2
    last = findings[number - 1]
    assert last.place.offsets is not None
    line, column = source.position(last.place.offsets[0])
    assert f"{line}:{column}: error[{last.code.id}] {last.message}".startswith(said)
