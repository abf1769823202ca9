"""What a profile may read of its repository: no version control's files, no keys, nothing that git ignores, no links
that lead out, and nothing of a refused file in any report.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import threading
from pathlib import Path

import pytest

from specgen.cli.belonging.below import opened
from specgen.cli.belonging.index import tracks
from specgen.cli.belonging.secrets import by_content, by_name
from specgen.cli.main import main
from specgen.diagnostics.model import BadQuestion
from tests.bad.program import specgen

HEAD = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: j}\ntarget: PyTorchJob\nimage: a:1\n"
CANARY = "c2VjcmV0"
NAMED = {
    "files": "files: {{/x: {{from: {}}}}}\n",
    "cluster": "cluster: {}\n",
    "extends": "extends: {}\n",
    "objects": "objects: [{}]\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    git(tmp_path, "init")
    return tmp_path


def git(folder: Path, *words: str) -> str:
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(["git", *words], cwd=folder, env=quiet, capture_output=True, text=True, check=True).stdout


def put(path: Path, text: str = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("word", NAMED)
@pytest.mark.parametrize("verb", ["build", "lint", "expand", "explain", "images"])
@pytest.mark.parametrize(
    "name", [".git/config", ".GIT/config", "sub/.git/config", ".env", "link", "ssh/id_ed25519", "lists/all.txt"]
)
def test_nothing_of_a_refused_file_is_shown(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    word: str,
    verb: str,
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for one in (".git/config", "sub/.git/config", ".env", "ssh/id_ed25519", "lists/all.txt"):
        put(tmp_path / one, f"[http]\n\textraheader = AUTHORIZATION: basic {CANARY}\n")
    put(tmp_path / ".gitignore", "lists/*\n")
    (tmp_path / "link").symlink_to(".env")
    put(tmp_path / "job.yaml", HEAD + NAMED[word].format(name))
    for format in ("human", "json"):
        assert main([verb, f"--format={format}", "job.yaml"]) == 1
        said = "".join(capsys.readouterr())
        # on a file system that tells cases apart there is no `.GIT`, and that is not said
        assert "SG202" in said and CANARY not in said and "no such file" not in said


@pytest.mark.parametrize("target", [".git/config", "../outside.toml"])
def test_a_configuration_is_no_way_around(tmp_path: Path, target: str) -> None:
    root = tmp_path / "root"
    put(root / ".git/config", f'[http]\n"{CANARY}\n')
    put(tmp_path / "outside.toml", f'select = "{CANARY}"\n')
    put(root / "job.yaml", HEAD)
    (root / "specgen.toml").symlink_to(target)
    ended = specgen("lint", "--format=human", "job.yaml", cwd=root)
    assert (ended.code, ended.out) == (2, "")
    assert CANARY not in ended.err and ended.err.startswith("specgen: specgen.toml: ")


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        (".env", True),
        ("a/.env.local", True),
        (".env.example", False),
        ("train.env", False),
        (".github/base.yaml", False),
        (".gitignore", False),
        ("a/.ssh/config", True),
        ("ssh/config", False),
        ("id_rsa", True),
        ("id_rsa.pub", False),
        ("store.P12", True),
        ("ca.pem", False),
        ("kubeconfig", True),
        ("gha-creds-0123.json", True),
        (".hg/hgrc", True),
    ],
)
def test_names_that_speak_for_themselves(path: str, refused: bool) -> None:
    assert bool(by_name(path.split("/"))) is refused


BODY = "MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF"


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (f"-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----\n", True),
        (f"# mine\r\n-----BEGIN OPENSSH PRIVATE KEY-----\r\n{BODY}\r\n", True),
        (f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,0\n\n{BODY}\n", True),
        (f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{BODY}\n", True),
        (f'{{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----\\n{BODY}\\n"}}', True),
        (f"  key: |\n    -----BEGIN EC PRIVATE KEY-----\n    {BODY}\n", True),
        (f"-----BEGIN CERTIFICATE-----\n{BODY}\n-----END CERTIFICATE-----\n", False),
        (f"-----BEGIN PUBLIC KEY-----\n{BODY}\n", False),
        ('if "-----BEGIN RSA PRIVATE KEY-----" in text:\n    raise ValueError\n', False),
        ("-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----\n", False),
    ],
)
def test_keys_are_known_by_what_is_in_them(text: str, held: bool) -> None:
    assert bool(by_content(text.encode())) is held


def test_a_key_is_carried_by_no_config_map(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    put(tmp_path / "deploy.pem", f"-----BEGIN PRIVATE KEY-----\n{BODY}\n-----END PRIVATE KEY-----\n")
    put(tmp_path / "job.yaml", HEAD + NAMED["files"].format("deploy.pem"))
    ended = specgen("build", "job.yaml", cwd=tmp_path)
    assert ended.code == 1 and BODY not in ended.err + ended.out
    assert ended.err.startswith("job.yaml:6:20: error[SG202] `deploy.pem`: it holds a private key (a Secret carries it")


RULES = {
    "lists/*.txt": (
        "lists/all.txt",
        "it is ignored by `lists/*.txt` in line 2 of `.gitignore`, and other clones lack it "
        "(`git add --force lists/all.txt`, or `!/lists/all.txt` at the end of `.gitignore`, "
        "makes it a part of the repository)\n",
    ),
    "data/": (
        "data/a/all.txt",
        "it is ignored by `data/` in line 2 of `.gitignore`, and other clones lack it "
        "(`git add --force data/a/all.txt` makes it a part of the repository)\n",
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_which_rule_and_what_to_do(repository: Path, rule: str) -> None:
    name, said = RULES[rule]
    put(repository / ".gitignore", f"# made by scripts/lists.py\n{rule}\n")
    put(repository / name)
    put(repository / "job.yaml", HEAD + NAMED["files"].format(name))
    ended = specgen("build", "job.yaml", cwd=repository)
    assert (ended.code, ended.err) == (1, f"job.yaml:6:20: error[SG202] `{name}`: {said}")
    git(repository, "add", "--force", name)
    assert specgen("build", "job.yaml", cwd=repository).code == 0
    git(repository, "rm", "--quiet", "--cached", name)
    assert specgen("build", "job.yaml", cwd=repository).code == 1
    if not rule.endswith("/"):
        put(repository / ".gitignore", f"{rule}\n!/{name}\n")
        assert specgen("build", "job.yaml", cwd=repository).code == 0


def test_the_command_line_names_what_it_likes(repository: Path) -> None:
    put(repository / ".gitignore", "*.local.yaml\n")
    put(repository / "lab.local.yaml", "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: lab}\n")
    put(repository / "job.yaml", HEAD + "cluster: lab.local.yaml\n")
    assert specgen("build", "job.yaml", cwd=repository).code == 1
    assert specgen("build", "job.yaml", "--cluster", "lab.local.yaml", cwd=repository).code == 0
    assert specgen("lint", "lab.local.yaml", cwd=repository).code == 0


def test_a_profile_in_an_ignored_folder_reads_what_lies_there(repository: Path) -> None:
    """As beneath a home that is itself a repository, of which all else is ignored."""
    put(repository / ".gitignore", "*\n")
    put(repository / "work/lists/a.txt")
    put(repository / "other/a.txt")
    put(repository / "work/job.yaml", HEAD + NAMED["files"].format("lists/a.txt"))
    put(repository / "work/far.yaml", HEAD + NAMED["files"].format("../other/a.txt"))
    assert specgen("build", "work/job.yaml", cwd=repository).code == 0
    assert specgen("build", "work/far.yaml", cwd=repository).code == 1


def test_rules_above_a_root_and_of_a_repository_inside(repository: Path) -> None:
    put(repository / ".gitignore", "*.txt\nvendor/\n")
    put(repository / "team/.specgen-root")
    put(repository / "team/a.txt")
    put(repository / "team/job.yaml", HEAD + NAMED["files"].format("a.txt"))
    assert "in line 1 of `.gitignore`" in specgen("build", "team/job.yaml", cwd=repository).err
    git(put(repository / "vendor/base/a.txt").parent, "init")
    put(repository / "job.yaml", HEAD + NAMED["files"].format("vendor/base/a.txt"))
    assert specgen("build", "job.yaml", cwd=repository).code == 0, "its own repository does not ignore it"


def test_without_a_repository_no_rule_counts(tmp_path: Path) -> None:
    put(tmp_path / "work/.specgen-root")
    put(tmp_path / "work/.gitignore", "*.txt\n")
    put(tmp_path / "work/a.txt")
    put(tmp_path / "work/job.yaml", HEAD + NAMED["files"].format("a.txt"))
    assert specgen("build", "job.yaml", cwd=tmp_path / "work").code == 0


NAMES = ("a", "b", "ab", "a.txt", "b.txt", "a b", "x[1]", "!a", "#a", "a\\b", "é", "A", "ab.txt", "a-b", "]", "-")
PIECES: tuple[str, ...] = ("a", "b", "*", "?", "**", "[ab]", "[!a]", "[^a]", "[a-c]", "\\a", "\\*", "\\!", "\\#", "\\ ")
PIECES += (
    " ",
    ".txt",
    "*.txt",
    "é",
    "[[:alpha:]]",
    "[[:upper:]]",
    "[]a]",
    "\\",
    "!",
    "#",
    "-",
    "[a\\]]",
    "[--]",
    "[a-]",
    "[",
)


def _pattern(chance: random.Random) -> str:
    words = ["".join(chance.choices(PIECES, k=chance.randint(1, 2))) for _ in range(chance.randint(1, 3))]
    # git reads `/` inside of a class as a sign of it: nobody writes that
    path = "/".join(word if index == len(words) - 1 else word.replace("[", "a") for index, word in enumerate(words))
    return chance.choice(("", "", "", "!", "/")) + path + chance.choice(("", "", "/", " ", "\r", "  "))


@pytest.mark.parametrize("rounds", [40, pytest.param(700, marks=pytest.mark.fuzz)])
def test_rules_are_read_as_git_reads_them(repository: Path, rounds: int) -> None:
    chance = random.Random(rounds)
    compared = 0
    for _ in range(rounds):
        for one in repository.iterdir():
            if one.name != ".git":
                shutil.rmtree(one) if one.is_dir() else one.unlink()
        paths = set()
        for _ in range(12):
            path = repository / Path(*chance.choices(NAMES, k=chance.randint(1, 4)))
            if not path.is_dir() and not any(above.is_file() for above in path.parents):
                paths.add(str(put(path).relative_to(repository)))
        folders = sorted({"."} | {str(Path(path).parent) for path in paths})
        for folder in chance.sample(folders, min(len(folders), 2)):
            lines = [_pattern(chance) for _ in range(chance.randint(1, 5))]
            text = "\n".join(lines) + chance.choice(("\n", ""))
            (repository / folder / ".gitignore").write_text(chance.choice(("", "", "\ufeff")) + text, newline="")
        asked = subprocess.run(
            ["git", "check-ignore", "--no-index", "--stdin", "-z"],
            cwd=repository,
            input="\0".join(sorted(paths)),
            capture_output=True,
            text=True,
        )
        ignored = set(asked.stdout.split("\0")) - {""}
        ours = {path for path in paths if _is_refused(repository, path)}
        rules = {str(file.parent): file.read_text() for file in repository.rglob(".gitignore")}
        assert ours == ignored, rules
        compared += len(paths)
    assert compared > 5 * rounds


def _is_refused(root: Path, path: str) -> bool:
    try:
        os.close(opened(str(root), str(root / path), [], {}))
    except BadQuestion as error:
        assert str(error).startswith("it is ignored by `")
        return True
    return False


@pytest.mark.parametrize("version", ["2", "3", "4"])
@pytest.mark.parametrize("hashes", ["sha1", "sha256"])
def test_what_git_tracks(tmp_path: Path, version: str, hashes: str) -> None:
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    git(tmp_path, "init", f"--object-format={hashes}")
    paths = ["a", "a/b/c.txt", "a b", "é", "deep/" * 20 + "x", "y" * 200, "z/1", "z/12", "z/123"]
    paths.remove("a")
    for path in paths:
        put(tmp_path / path)
    git(tmp_path, "add", ".")
    if version == "3":  # entries with more flags
        put(tmp_path / "intended")
        git(tmp_path, "add", "--intent-to-add", "intended")
        paths.append("intended")
    else:
        git(tmp_path, "update-index", "--index-version", version)
    assert (tmp_path / ".git/index").read_bytes()[7] == int(version)
    assert [path for path in paths if not tracks(str(tmp_path), path)] == []
    assert [path for path in ("a", "a/b", "z", "z/1234", "y", "") if tracks(str(tmp_path), path)] == []
    git(tmp_path, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a")
    git(tmp_path, "worktree", "add", "-q", "beside")
    assert tracks(str(tmp_path / "beside"), "z/1") and not tracks(str(tmp_path / "beside"), "z/1234")


def test_an_index_that_is_none(tmp_path: Path) -> None:
    put(tmp_path / ".git/index", "DIRC\0\0\0\2\0\0\0\3" + "\1" * 200)
    assert not tracks(str(tmp_path), "\1")
    (tmp_path / ".git/index").unlink()
    os.mkfifo(tmp_path / ".git/index")
    assert not tracks(str(tmp_path), "a")


@pytest.mark.parametrize("seconds", [1, pytest.param(20, marks=pytest.mark.fuzz)])
def test_a_name_that_flips_to_a_link_leads_nowhere(tmp_path: Path, seconds: int) -> None:
    from time import monotonic

    from specgen.cli.files import DiskFiles

    root = tmp_path / "root"
    put(root / ".git/HEAD")
    put(root / "folder/a.txt", "inside")
    put(tmp_path / "outside/a.txt", CANARY)
    put(root / "job.yaml", HEAD)
    stop = threading.Event()

    def flip() -> None:
        while not stop.is_set():
            os.rename(root / "folder", root / "aside")
            os.symlink(tmp_path / "outside", root / "folder")
            os.unlink(root / "folder")
            os.rename(root / "aside", root / "folder")

    flipper = threading.Thread(target=flip)
    flipper.start()
    seen: set[str] = set()

    def what_it_gives() -> str:
        files = DiskFiles()
        files.named(str(root / "job.yaml"))
        data, findings = files.content(str(root / "folder/a.txt"))
        return data.decode() if data is not None else findings[0].message.split(",")[0]

    try:
        end = monotonic() + seconds
        while monotonic() < end:
            seen.add(what_it_gives())
    finally:
        stop.set()
        flipper.join()
    # which of the three a read meets is the scheduler's luck; that none is the file outside is not
    assert seen <= {"inside", "it lies outside the root", "there is no such file"}
    assert what_it_gives() == "inside"


def test_what_a_report_quotes_is_read_as_the_profile_may(tmp_path: Path) -> None:
    """A file that was fine when it was read, and leads elsewhere when its line is shown."""
    from specgen.cli.files import DiskFiles

    put(tmp_path / "root/.git/HEAD")
    put(tmp_path / "root/job.yaml", HEAD)
    put(tmp_path / "root/base.yaml", "kind: Base\n")
    put(tmp_path / "outside.yaml", CANARY)
    files = DiskFiles()
    files.named(str(tmp_path / "root/job.yaml"))
    base = str(tmp_path / "root/base.yaml")
    assert files.read(base)[0] is not None and files.again(base) == "kind: Base\n"
    os.unlink(base)
    os.symlink("../outside.yaml", base)
    assert files.again(base) == ""


def test_folders_too_deep_and_rules_too_long(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    put(tmp_path / ".gitignore", "*a" * 3000 + "\n" + "**/" * 1000 + "a*a*a*a*b\n" + "a" * 100_000 + "\n")
    put(tmp_path / "job.yaml", HEAD + NAMED["files"].format("b/" * 70 + "a.txt"))
    put(tmp_path / ("b/" * 70 + "a.txt"))
    assert "it lies more than 64 folders deep" in specgen("build", "job.yaml", cwd=tmp_path).err
    put(tmp_path / "job.yaml", HEAD + NAMED["files"].format("a" * 200))
    put(tmp_path / ("a" * 200))
    assert specgen("build", "job.yaml", cwd=tmp_path).code == 0
