"""Print what Argo CD or Flux must be told of the kinds of jobs: when one is well, has failed, or is suspended.

  specgen gitops argocd > argocd-cm.yaml
  kubectl -n argocd patch configmap argocd-cm --patch-file argocd-cm.yaml

  specgen gitops flux PyTorchJob > health.yaml
  kubectl -n flux-system patch kustomization jobs --type merge --patch-file health.yaml

A job that succeeded is Healthy, one that runs or waits is Progressing, as a batch Job is to both of them; one that
failed is Degraded, and a suspended one Suspended, which Flux has no word for: there it is in progress. So that a
Kustomization with `wait` waits for the end of its jobs, and needs a `timeout` as long.

For Argo CD besides, which differences are none: what CRDs and webhooks add to a job inside of lists, and with --kueue
what Kueue writes while it holds and admits one (`suspend`, labels, node selectors, tolerations and gates of pods).
Changes of those fields in Git are no differences then, either. Flux applies what Git has alone, and needs none of it.

With --tree, what syncs a tree that `specgen build --out` wrote, and the operators' that `specgen operators --out` did:

  specgen gitops argocd --tree out/ --operators operators/ --repo https://git.example.com/team/jobs.git
  specgen gitops flux --tree out/ --repo oci://registry.example.com/team/jobs --revision latest

For Argo CD an Application; nothing has to be known of specgen there (`specgen cmp --help` says how a plugin and the
hydrator differ). It leaves jobs alone that somebody deletes, and those without changes. Sync waves have the runtimes
and PodGroups of jobs created first. Once argocd-cm knows how jobs are, what comes in a later wave than a job, or as a
PostSync hook, comes when that job has succeeded.

Names follow from where the tree lies in its repository: `out` comes to `jobs`, `trees/dev` to `jobs.trees.dev`, so that
no two trees of a repository have one; --name says another one. With one Kustomization for a tree, what one job is
refused for keeps all of them from being applied. --by folder prints one for each folder of the tree, which holds one
job, and --tree takes such a folder as well, for whoever hands a part of a tree to another team. Print them again where
folders come or go: a folder that none names is applied by nobody.

Both are pointed at the tree, never at the profiles: these are no objects of Kubernetes. A Kustomization of Flux on the
root of the repository takes all YAML files below it and applies none of them where a `specgen/v1` is among them:
`spec.ignore` of its source, or `.sourceignore`, leaves the profiles out, and so does `directory.exclude` of an
Application of Argo CD. `specgen explain flux` and `specgen explain argocd` show the lines.

For Flux a source and a Kustomization for each step: operators, whose webhooks must answer; runtimes, which a webhook
looks for; with --preflight the twins that try the nodes of jobs, which must have ended well; jobs. What is defined, or
lies in a namespace that comes, in the same step needs no more than that: Flux applies definitions and namespaces first.
With --wait 24h the last step is ready when its jobs have succeeded, and fails with one that fails, by the checks above;
as long as it waits, new commits may have to wait as well. Where jobs name no namespace, Flux moves all of them to one;
where others name another one, it would apply none, and nothing is printed. --revision is a branch of Git,
`refs/tags/v1` or a commit, and the tag or digest of an artifact. An artifact is pushed from the root of the repository:
`flux push artifact oci://… --path=. --source=… --revision=…`. What scripts and carried files say between `${` and `}`
is theirs: `build --out` has Flux substitute nothing in an object that holds it, by an annotation, unless it stands as
well where only a substitution makes sense, such as in the name of an image.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from specgen.cli.terminal import Terminal
    from specgen.emit.synced import Tree

HELP = "print the health checks of jobs for Argo CD or Flux, and what syncs them"
EXAMPLES = (
    ("specgen gitops argocd", "health checks of all kinds for Argo CD"),
    ("specgen gitops flux PyTorchJob", "those of one kind for Flux"),
)
# Of a name that others are made of: `-runtimes` behind it is the value of a label still.
_LONGEST = 54
# Words that say something of a tree.
_OF_TREES = ("operators", "preflight", "repo", "revision", "namespace", "wait", "by", "name")


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("controller", choices=("argocd", "flux"), help="whose settings")
    kinds: Any = parser.add_argument("kinds", nargs="*", metavar="KIND", help="such as PyTorchJob; all without one")
    kinds.completer = lambda **_: sorted(_kinds())
    parser.add_argument("--kueue", action="store_true", help="for argocd: what Kueue writes into jobs is no difference")
    parser.add_argument(
        "--tree", metavar="DIR", help="print what syncs the tree that `build --out DIR` wrote, or a folder of it"
    )
    parser.add_argument("--operators", metavar="DIR", help="with --tree: before it what `operators --out DIR` wrote")
    parser.add_argument(
        "--by",
        choices=("tree", "folder"),
        help="with --tree: one for all of it (the default), or one for each of its folders, which hold a job each",
    )
    parser.add_argument(
        "--name", metavar="NAME", help="with --tree: what all of it is called, instead of after the tree's folder"
    )
    parser.add_argument(
        "--preflight", metavar="DIR", help="with --tree, for flux: before it what `preflight --out DIR` wrote"
    )
    parser.add_argument("--repo", metavar="URL", help="with --tree: where it lies, also oci://… (Argo CD: from 3.1 on)")
    parser.add_argument(
        "--revision",
        metavar="NAME",
        help="with --tree: the branch of Git, by default main, or refs/tags/…; the tag of oci://",
    )
    parser.add_argument("--namespace", metavar="NAME", help="with --tree: of jobs that name none, by default training")
    parser.add_argument(
        "--wait", metavar="TIME", help="with --tree, for flux: wait so long for jobs to end, such as 24h"
    )


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.diagnostics.suggest import hint
    from specgen.document.write import write_yaml
    from specgen.operators import by_object

    if options.kueue and options.controller == "flux":
        terminal.say("specgen: --kueue is for argocd: Flux applies what Git has alone, and undoes nothing of Kueue's")
        return exits.QUESTION
    if options.tree is not None:
        return _sync(options, terminal)
    for option in _OF_TREES:
        if getattr(options, option) is not None:
            terminal.say(f"specgen: --{option} is about the tree that --tree names")
            return exits.QUESTION
    known = _kinds()
    asked = list(dict.fromkeys(options.kinds or known))
    for kind in asked:
        if kind not in known:
            help = hint(kind, sorted(known), "kind")
            terminal.say(f"specgen: there is no kind of job `{kind}`" + (f"; {help}" if help else ""))
            return exits.QUESTION
    readers = [reader for kind in asked for version in known[kind] if (reader := by_object(version, kind))]
    if options.controller == "argocd":
        from specgen.emit.argocd import settings

        terminal.answer(write_yaml(settings(readers, kueue=options.kueue)))
    else:
        from specgen.emit import flux

        terminal.answer(write_yaml(flux.settings(readers)))
    return exits.GOOD


def _kinds() -> dict[str, list[str]]:
    """Kind → its versions."""
    from specgen.operators.index import KINDS

    found: dict[str, list[str]] = {}
    for version, kind in KINDS:
        found.setdefault(kind, []).append(version)
    return found


def _sync(options: Namespace, terminal: Terminal) -> int:
    """Prints what syncs a tree."""
    import re

    from specgen.cli.repository import tagged, url
    from specgen.cli.synced import tree
    from specgen.diagnostics.model import BadQuestion
    from specgen.document.write import write_yaml_stream
    from specgen.emit.synced import applications, steps
    from specgen.schema.formats import name

    is_flux = options.controller == "flux"
    if options.kinds or options.kueue:
        raise BadQuestion("what is told of kinds is printed without --tree, for argocd-cm or a Kustomization")
    if options.wait is not None and not (is_flux and re.fullmatch(r"([0-9]+(\.[0-9]+)?(ms|s|m|h))+", options.wait)):
        raise BadQuestion("--wait is a time such as 24h or 90m, for flux")
    if options.namespace is not None and not name(options.namespace):
        raise BadQuestion("--namespace is no name of a namespace: small letters, digits and dashes")
    if options.preflight is not None and not is_flux:
        help = "`specgen preflight` prints a twin that comes a wave before its job, beside it in one Application"
        raise BadQuestion("--preflight is for flux", help)
    if options.name is not None and not (name(options.name) and len(options.name) <= _LONGEST):
        raise BadQuestion(f"--name is no name of an object: at most {_LONGEST} small letters, digits and dashes")
    if options.by == "folder" and options.preflight is not None:
        help = "`--tree DIR/FOLDER --preflight DIR/FOLDER` has one job wait for its own twin"
        raise BadQuestion("--preflight goes with a whole tree, or one folder of it", help)
    by_folder = options.by == "folder"
    found = tree(options.tree, options.operators, options.preflight, parts=by_folder, called=options.name)
    if options.repo is not None:
        found.repository = url(options.repo, options.controller)
    tagged(found.repository, options.revision)
    found.revision = options.revision or found.revision
    for one in (found, *found.parts):
        one.namespace = options.namespace or one.namespace
        one.repository, one.revision = found.repository, found.revision
    found.wait = options.wait
    if is_flux and found.homeless and not found.moves and not found.parts:
        more = f" and {len(found.homeless) - 3} more" if len(found.homeless) > 3 else ""
        terminal.say(f"specgen: {', '.join(found.homeless[:3])}{more} say no namespace, and others of the tree do")
        terminal.say("  = note: Flux would apply no job of the tree then, with the words `namespace not specified`")
        terminal.say(
            "  = help: `metadata.namespace` of their profiles says it; `targetNamespace` would move all of them"
        )
        return exits.BAD
    terminal.answer(write_yaml_stream([*(steps(found) if is_flux else applications(found))]))
    _say_former(found, terminal, flux=is_flux)
    return exits.GOOD


def _say_former(found: Tree, terminal: Terminal, *, flux: bool) -> None:
    """What an earlier call made of this tree under another name, which stays where it was applied."""
    from specgen.emit.synced import former

    old = former(found, flux=flux)
    if not old:
        return
    said = " and ".join(f"`{one}`" for one in old)
    what, where = ("Kustomization", "flux-system") if flux else ("Application", "argocd")
    new = "one for each folder" if found.parts else f"called `{found.name}`, after the folder of the tree"
    away = f"kubectl -n {where} delete {what.lower()} {' '.join(old)}"
    terminal.say(f"specgen: {new}: if it was applied as {what} {said} before, that stays beside it")
    terminal.say(f"  = help: if so, and with the new one ready, `{away}` takes that away, and no job")
