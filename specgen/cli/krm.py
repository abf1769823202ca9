"""Be a KRM function: a ResourceList on standard input, a ResourceList on standard output.

As a generator it adds what job profiles come to: the functionConfig is a job profile, or names some. What it added
before gives way to what it adds now, by the annotation `specgen/generated-by`; all else stays as it is.

  # kustomization.yaml                       # jobs.yaml
  generators: [jobs.yaml]                    apiVersion: krm.specgen/v1
                                             kind: Build
                                             metadata:
                                               name: jobs
                                               annotations:
                                                 config.kubernetes.io/function: |
                                                   exec: {path: ./krm.sh}
                                             spec:
                                               profiles: [profiles/mnist.yaml]   # files, folders, or whole profiles
                                               cluster: clusters/lab.yaml        # optional, or a whole one
                                               variant: small                    # optional, as for `specgen build`
                                               set: [pods=8]                     # optional

  # krm.sh, executable
  #!/bin/sh
  exec specgen krm

As a validator it lints the items, which pass unchanged, and says by its results what it found: with `kind: Lint`, whose
`spec` may have `cluster`, `select`, `ignore` and `operators`, or without a functionConfig. List it under
`transformers`: kustomize 5.8 takes no function under `validators` that runs in a container, whatever that returns.

  kustomize build --enable-alpha-plugins --enable-exec .
  kubectl kustomize --enable-alpha-plugins .           for `container: {image: …}`; `exec` it leaves out without a word

A ConfigMap holds the same words in `data`, with commas between several. Files are those that a profile in the folder of
the kustomization may name, and names count from there; in a container there are none, so that profiles and cluster are
written into `spec`. Results of severity error make the exit code 1, and the items stay as they came.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from specgen.cli.given import GivenFiles
    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import Diagnostic
    from specgen.document.tree import Document
    from specgen.emit.krm import Asked
    from specgen.source import Path

HELP = "be a KRM function of kustomize: generate jobs, or lint the items"
EXAMPLES = (
    ("specgen krm < generate.yaml", "adds the jobs that the functionConfig of the list names"),
    ("specgen krm < list.yaml", "lints the items of a list without a functionConfig"),
)


def add(parser: ArgumentParser) -> None:
    """Options of the verb: none, a functionConfig says it all."""


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.given import GivenFiles
    from specgen.diagnostics.model import BadQuestion, has_errors
    from specgen.diagnostics.place import order, place
    from specgen.document.read import read
    from specgen.emit import function, krm
    from specgen.emit.codes import WRONG_FUNCTION

    files = GivenFiles()
    source, findings = files.standard_input()
    documents, faults = ([], findings) if source is None else read(source)
    documents = [one for one in documents if one.data is not None]
    if len(documents) != 1 or has_errors(faults):
        count = "several documents" if documents else "nothing"
        why = faults[0].message if faults else f"standard input holds {count}, where one ResourceList is expected"
        raise BadQuestion(why, "`specgen krm --help` shows how it is run")
    document = documents[0]
    why = krm.wrong(document)
    if why:
        raise BadQuestion(why)
    asked = krm.asked(document)
    operations: Any = []
    diagnostics = [place(finding, document) for finding in asked.findings]
    if not diagnostics:
        try:
            operations, diagnostics = _done(document, asked, files)
        except BadQuestion as error:
            message = f"{error} ({error.help})" if error.help else str(error)
            diagnostics = [place(WRONG_FUNCTION.at(_blamed(asked, files), message), document)]
    results = function.results(document, order(diagnostics), files.document)
    failed = function.failed(results)
    for result in results:
        terminal.say(function.line(result))
    terminal.answer(function.written(document, [] if failed else operations, results))
    bug = any(diagnostic["code"] == "SG900" for diagnostic in diagnostics)
    return exits.BUG if bug else exits.BAD if failed else exits.GOOD


def _blamed(asked: Asked, files: GivenFiles) -> Path:
    """Where the words stand that have no answer: each is tried by itself, in the order in which all of them are."""
    from specgen.cli.files import opened
    from specgen.diagnostics.model import BadQuestion
    from specgen.session.policy import Options

    def try_one(word: str, value: str) -> None:
        if word == "set":
            opened(settings=[value], files=files)
        elif word == "cluster":
            opened(cluster=value, files=files)
        elif word == "profiles":
            if files.below(value) is None:
                files.named(value)
        else:
            one = {key: (value,) if key == word else () for key in ("select", "ignore", "operators")}
            options = Options(select=one["select"], ignore=one["ignore"], operators=one["operators"], config="")
            opened(files=files, options=options)

    words = asked.words
    for word in ("set", "cluster", "profiles", "select", "ignore", "operators"):
        listed = isinstance(words.get(word), list)
        for index, value in enumerate(words.get(word, ()) if listed else [words.get(word)]):
            try:
                if isinstance(value, str):
                    try_one(word, value)
            except BadQuestion:
                one = (index,) if listed and asked.base[-1] == "spec" else ()
                return (*asked.base, word, *one)
    last = "variant" if words.get("variant") else "profiles"
    return (*asked.base, last) if last in words else asked.base or ("functionConfig",)


def _done(document: Document, asked: Asked, files: GivenFiles) -> tuple[Any, list[Diagnostic]]:
    """What becomes of the items, and what was found. Raises BadQuestion where the functionConfig names nothing."""
    from specgen.cli.files import opened
    from specgen.diagnostics.model import BadQuestion
    from specgen.document.write import write_yaml
    from specgen.emit import function, krm
    from specgen.session.policy import Options

    words = asked.words
    cluster = words.get("cluster")
    if isinstance(cluster, dict):
        cluster = files.give("<functionConfig.spec.cluster>", write_yaml(cluster))
    if asked.verb == krm.LINT:
        options = Options(
            select=words.get("select", ()),
            ignore=words.get("ignore", ()),
            operators=words.get("operators", ()),
            config="",
        )
        session = opened(cluster=cluster, files=files, options=options)
        session.lint([files.give(function.ITEM.format(at), text) for at, text in enumerate(krm.texts(document))])
        return [], session.found()
    if asked.profile is not None:
        names = [files.give("<functionConfig>", write_yaml(asked.profile))]
    else:
        names = [
            files.give(f"<functionConfig.spec.profiles[{index}]>", write_yaml(one)) if isinstance(one, dict) else one
            for index, one in enumerate(words["profiles"])
        ]
    session = opened(cluster=cluster, settings=words.get("set", ()), variant=words.get("variant"), files=files)
    trees: list[dict[str, Any]] = []
    for result in session.compile(names, origins=False, tree=True):
        for compiled in result.compiled:
            from specgen.cli.build import nameless

            session.add(nameless(compiled))
            if compiled.bundle is not None:
                trees += [manifest.tree for manifest in compiled.bundle.manifests]
    found = session.found()
    if session.unreadable:
        raise BadQuestion("; ".join(session.unreadable))
    if session.failed:
        return [], found
    if not trees:
        raise BadQuestion("no job profile is among what is named, so nothing would be built")
    operations, findings = krm.merged(document, trees, asked.name)
    session.add(findings, document)
    return operations, session.found()
