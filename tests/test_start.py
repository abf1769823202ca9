"""What a start loads: the modules of each kind of call are listed here, and a newcomer fails.

Imports decide how fast a command line is (pydantic alone costs eight times an empty interpreter), and a list of modules
is the same on a fast machine and on a slow one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# What stands beside specgen's own modules after a build: nothing that reads, checks, or prints for anyone else.
BUILD = {"__future__", "errno", "gc"}
# libyaml's binding is compiled by Cython, which leaves its runtime behind; its own modules are taken away again.
CYTHON = ("_cython_", "cython_runtime")
# argparse and what it brings: for calls with options, and for help.
ARGPARSE = {
    "_bz2",
    "_collections",
    "_compression",
    "_functools",
    "_locale",
    "_lzma",
    "_operator",
    "_sre",
    "argparse",
    "bz2",
    "collections",
    "copyreg",
    "enum",
    "errno",
    "fnmatch",
    "functools",
    "gettext",
    "itertools",
    "keyword",
    "locale",
    "lzma",
    "operator",
    "re",
    "re._casefix",
    "re._compiler",
    "re._constants",
    "re._parser",
    "reprlib",
    "shutil",
    "textwrap",
    "types",
    "warnings",
    "zlib",
}
# specgen's own modules of a build, without the rules: one file each, and all of them run.
OWN = {
    "specgen",
    "specgen._nccl_table",
    "specgen.checking",
    "specgen.diagnostics.operations",
    "specgen.cli",
    "specgen.cli.belonging",
    "specgen.cli.belonging.below",
    "specgen.cli.belonging.ignored",
    "specgen.cli.belonging.secrets",
    "specgen.cli.build",
    "specgen.cli.exits",
    "specgen.cli.files",
    "specgen.cli.main",
    "specgen.cli.root",
    "specgen.cli.terminal",
    "specgen.diagnostics",
    "specgen.diagnostics.model",
    "specgen.diagnostics.pages",
    "specgen.diagnostics.place",
    "specgen.diagnostics.suggest",
    "specgen.diagnostics.suppress",
    "specgen.document",
    "specgen.devices",
    "specgen.document.codes",
    "specgen.document.decode",
    "specgen.document.libyaml",
    "specgen.document.one",
    "specgen.document.read",
    "specgen.document.scalars",
    "specgen.document.tree",
    "specgen.document.write",
    "specgen.lower",
    "specgen.lower.container",
    "specgen.lower.index",
    "specgen.lower.job",
    "specgen.lower.pod",
    "specgen.lower.pytorchjob",
    "specgen.manifest",
    "specgen.manifest.build",
    "specgen.manifest.merge",
    "specgen.manifest.model",
    "specgen.manifest.origins",
    "specgen.manifest.shape",
    "specgen.manifest.views",
    "specgen.modules",
    "specgen.nccl",
    "specgen.operators",
    "specgen.operators.kubernetes",
    "specgen.operators.kubernetes.admission",
    "specgen.operators.kubernetes.containers",
    "specgen.operators.kubernetes.directories",
    "specgen.operators.kubernetes.names",
    "specgen.operators.kubernetes.reason",
    "specgen.operators.kubernetes.resources",
    "specgen.operators.kubernetes.room",
    "specgen.operators.kubernetes.shell",
    "specgen.operators.kubernetes.trainer_line",
    "specgen.operators.kubernetes.volumes",
    "specgen.operators.kubernetes.objects",
    "specgen.operators.objection",
    "specgen.operators.reader",
    "specgen.operators.release",
    "specgen.operators.template",
    "specgen.operators.training",
    "specgen.operators.training.common",
    "specgen.operators.training.facts",
    "specgen.operators.training.pytorchjob",
    "specgen.operators.training.refusals",
    "specgen.operators.training.life",
    "specgen.operators.training.roles",
    "specgen.pipeline",
    "specgen.plan",
    "specgen.plan.affinity",
    "specgen.plan.capacity",
    "specgen.plan.checks",
    "specgen.plan.codes",
    "specgen.plan.complete",
    "specgen.plan.devices",
    "specgen.plan.draft",
    "specgen.plan.facts",
    "specgen.plan.images",
    "specgen.plan.kind",
    "specgen.plan.make",
    "specgen.plan.model",
    "specgen.plan.mounts",
    "specgen.plan.network",
    "specgen.plan.pods",
    "specgen.plan.security",
    "specgen.plan.world",
    "specgen.profile",
    "specgen.profile.codes",
    "specgen.profile.layers",
    "specgen.profile.levels",
    "specgen.profile.library",
    "specgen.profile.pools",
    "specgen.profile.resolve",
    "specgen.profile.roles",
    "specgen.profile.shape",
    "specgen.profile.variables",
    "specgen.quantity",
    "specgen.rules",
    "specgen.schema",
    "specgen.schema.accept",
    "specgen.schema.checks",
    "specgen.schema.codes",
    "specgen.schema.formats",
    "specgen.schema.record",
    "specgen.session",
    "specgen.session.globs",
    "specgen.source",
    "specgen.tables",
    "specgen.tables.claims",
    "specgen.tables.cluster",
    "specgen.tables.job",
    "specgen.tables.metadata",
    "specgen.tables.metrics",
    "specgen.tables.pods",
    "specgen.tables.pytorchjob_v1",
    "specgen.tables.replicas",
    "specgen.tables.trainer_contract",
}
HEAVY = ("jsonschema", "kubernetes", "pydantic", "referencing", "ruamel", "torch", "yaml")

# The console script's entry ends the process itself, so the list is written on its way out.
_CHILD = """
import os, sys
leave = os._exit
def report(code):
    sys.stdout.flush()
    with open(os.environ["MODULES"], "w") as file:
        file.write(" ".join(sys.modules))
    leave(code)
os._exit = report
from specgen.cli.main import run
run()
"""
_EMPTY = """
import os, sys
with open(os.environ["MODULES"], "w") as file:
    file.write(" ".join(sys.modules))
"""


def modules(code: str, *words: str, root: Path, folder: Path) -> set[str]:
    """Names of all modules that a child has loaded at its end."""
    out = folder / "modules"
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "MODULES": str(out), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return set(out.read_text().split())


@pytest.fixture(scope="module")
def bare(root: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What the interpreter loads by itself in this environment."""
    return modules(_EMPTY, root=root, folder=tmp_path_factory.mktemp("bare"))


def split(loaded: set[str]) -> tuple[set[str], set[str]]:
    """(specgen's own, all others without Cython's runtime)."""
    own = {name for name in loaded if name.partition(".")[0] == "specgen"}
    return own, {name for name in loaded - own if not name.startswith(CYTHON)}


def rules(root: Path) -> set[str]:
    return {
        f"specgen.rules.{file.stem}" for file in (root / "specgen" / "rules").glob("*.py") if file.stem != "__init__"
    }


def test_building_loads_these_modules(root: Path, bare: set[str], tmp_path: Path) -> None:
    profile = "profiles/jobs/allreduce-resnet50.yaml"
    own, others = split(modules(_CHILD, "build", profile, root=root, folder=tmp_path) - bare)
    assert sorted(others - BUILD) == []
    assert sorted(own - OWN - rules(root)) == []
    assert sorted(OWN - own) == [], "no longer loaded: take it off the list"


@pytest.fixture(scope="module")
def manifest(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean manifest, of a profile that ignores nothing."""
    words = ["build", "profiles/jobs/mnist-nccl.yaml"]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    built = subprocess.run(
        [sys.executable, "-m", "specgen", *words], cwd=root, env=environment, capture_output=True, check=True
    )
    path = tmp_path_factory.mktemp("manifest") / "job.yaml"
    path.write_bytes(built.stdout)
    return path


def test_linting_a_clean_manifest_loads_no_more_than_building(
    root: Path, bare: set[str], manifest: Path, tmp_path: Path
) -> None:
    own, others = split(modules(_CHILD, "lint", str(manifest), root=root, folder=tmp_path) - bare)
    assert sorted(others - BUILD) == []
    extra = [
        "specgen.cli.lint",
        "specgen.diagnostics.safe",
        "specgen.emit",
        "specgen.emit.ownership",
        "specgen.linting",
        "specgen.manifest.prune",
        "specgen.operators.index",
        "specgen.session.attempt",
        "specgen.session.own_trees",
        "specgen.session.queues",
        "specgen.session.runtimes",
    ]
    assert sorted(own - OWN - rules(root)) == extra


@pytest.mark.parametrize(
    "words",
    [("--help",), ("build", "--help"), ("lint", "--help"), ("explain", "SG111")],
    ids=" ".join,
)
def test_help_and_pages_load_no_third_party(words: tuple[str, ...], root: Path, bare: set[str], tmp_path: Path) -> None:
    _, others = split(modules(_CHILD, *words, root=root, folder=tmp_path) - bare)
    assert sorted(others - BUILD - ARGPARSE) == []


def test_the_version_loads_next_to_nothing(root: Path, bare: set[str], tmp_path: Path) -> None:
    own, others = split(modules(_CHILD, "--version", root=root, folder=tmp_path) - bare)
    assert sorted(others) == ["__future__", "gc"]
    assert sorted(own) == [
        "specgen",
        "specgen.cli",
        "specgen.cli.exits",
        "specgen.cli.main",
        "specgen.document",
        "specgen.document.libyaml",
        "specgen.modules",
        "specgen.version",
    ]


@pytest.mark.parametrize(
    "words", [("build", "profiles/jobs/allreduce-resnet50.yaml", "--format", "json"), ("lint", "--quiet")]
)
def test_options_cost_argparse_alone(
    words: tuple[str, ...], root: Path, bare: set[str], manifest: Path, tmp_path: Path
) -> None:
    words = (*words, str(manifest)) if words[0] == "lint" else words
    _, others = split(modules(_CHILD, *words, root=root, folder=tmp_path) - bare)
    assert not {name.partition(".")[0] for name in others} & set(HEAVY)


def test_the_package_alone_loads_nothing_else(root: Path, bare: set[str], tmp_path: Path) -> None:
    loaded = modules("import specgen\n" + _EMPTY, root=root, folder=tmp_path) - bare
    assert sorted(loaded) == ["__future__", "specgen"]
