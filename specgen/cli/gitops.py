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
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from specgen.cli.terminal import Terminal

HELP = "print the health checks of jobs for Argo CD or Flux"


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("controller", choices=("argocd", "flux"), help="whose settings")
    kinds: Any = parser.add_argument("kinds", nargs="*", metavar="KIND", help="such as PyTorchJob; all without one")
    kinds.completer = lambda **_: sorted(_kinds())
    parser.add_argument("--kueue", action="store_true", help="for argocd: what Kueue writes into jobs is no difference")


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.diagnostics.suggest import hint
    from specgen.document.write import write_yaml
    from specgen.operators import by_object

    if options.kueue and options.controller == "flux":
        terminal.say("specgen: --kueue is for argocd: Flux applies what Git has alone, and undoes nothing of Kueue's")
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
