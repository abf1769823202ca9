"""Build job profiles inside of Argo CD, as a config management plugin of it.

  specgen cmp plugin                    plugin.yaml, for an image of your own
  specgen cmp sidecar | kubectl apply --server-side -f -
  specgen cmp application               an Application whose jobs the plugin builds
  specgen cmp applicationset            one for each profile of a folder

Three ways lead from profiles to Argo CD, and the same objects come of all of them:

  a rendered tree   `specgen build --out out/` in CI, and out/ is committed. Argo CD reads kustomizations in it and no
                    plugin takes part; reviews see the manifests, and no cluster holds specgen. Begin with this one:
                    `specgen gitops argocd --tree out/` prints its Application.
  a plugin          Profiles are committed, and a sidecar of argocd-repo-server builds them. One profile serves many
                    clusters by parameters; its manifests are seen in Argo CD alone, and a new specgen in the sidecar
                    may change them without a commit.
  the hydrator      Argo CD itself renders, commits what comes of it to a branch of the same repository, and syncs that
                    branch (`sourceHydrator`, beta since 3.5). From 3.3 on `drySource.plugin` takes this plugin, with
                    the parameters of an Application. A rendered tree is there already and needs no hydrator.

The sidecar needs an image with specgen in it: FROM python:3.13-slim, COPY . /src, RUN pip install --no-cache-dir /src.
It runs as user 999, on a file system that it cannot write, without network, home or Git, in less than a second.

What runs there, in the folder of an Application: `generate` prints the objects, `discover` the profiles (nothing where
a kustomization, a chart or a rendered tree stands), `parameters` what can be chosen. Parameters are data: `profiles`
(files and folders), `cluster`, `variant`, and `set` (field → value, as --set of build), each for all profiles that are
named, such as these below `plugin` in the source of an Application:

  parameters:
  - {name: profiles, array: [mnist.yaml]}
  - {name: cluster, string: ../clusters/gpu.yaml}   # a file, seen from the folder of the Application
  - {name: set, map: {env.NCCL_DEBUG: WARN, pods: "8"}}

Or as variables, with `plugin.env`: SPECGEN_PROFILES and SPECGEN_SET line by line, SPECGEN_CLUSTER and SPECGEN_VARIANT.
Nothing that they name lies outside of the repository. Where nothing comes of them, `generate` fails: Argo CD would
delete what is missing.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.parameters import Parameters
    from specgen.cli.terminal import Terminal
    from specgen.session import Session

HELP = "build job profiles inside of Argo CD, as its plugin"
EXAMPLES = (
    ("specgen cmp plugin", "what makes an image of yours a plugin of Argo CD"),
    ("specgen cmp application --repo https://git.example.com/vision/jobs.git", "an Application whose jobs it builds"),
)
_RUN = ("generate", "discover", "parameters")
_PRINTED = ("plugin", "sidecar", "application", "applicationset")
# What stands in a folder that Argo CD renders by itself.
_OTHERS = ("kustomization.yaml", "kustomization.yml", "Kustomization", "Chart.yaml", ".specgen-owned")


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("what", choices=(*_RUN, *_PRINTED), help="what to do in the plugin, or what to print for it")
    parser.add_argument("--repo", metavar="URL", help="where the profiles lie, for application and applicationset")
    parser.add_argument("--path", metavar="DIR", help="their folder there, by default profiles/jobs")
    parser.add_argument("--revision", metavar="NAME", help="the branch, by default main; the tag of oci://")
    parser.add_argument("--image", metavar="IMAGE", help="with specgen in it, for sidecar")


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    asked = {"repo": _PRINTED[2:], "path": _PRINTED[2:], "revision": _PRINTED[2:], "image": ("sidecar",)}
    for option, whose in asked.items():
        if getattr(options, option) is not None and options.what not in whose:
            terminal.say(f"specgen: --{option} is for {' and '.join(whose)}")
            return exits.QUESTION
    if options.what in _PRINTED:
        return _print(options, terminal)
    if options.what == "discover":
        return _discover(terminal)
    return _generate(terminal) if options.what == "generate" else _announce(terminal)


def _print(options: Namespace, terminal: Terminal) -> int:
    from specgen.cli.repository import tagged, url
    from specgen.diagnostics.model import BadQuestion
    from specgen.document.write import write_yaml_stream
    from specgen.emit import plugin
    from specgen.emit.synced import OCI
    from specgen.version import __version__

    repository = plugin.REPOSITORY if options.repo is None else url(options.repo, "argocd")
    tagged(repository, options.revision)
    where = (repository, options.revision or plugin.REVISION, options.path or "profiles/jobs")
    trees: list[object]
    if options.what == "plugin":
        trees = [plugin.plugin()]
    elif options.what == "sidecar":
        trees = [*plugin.sidecar(options.image or f"registry.example.com/specgen:{__version__}")]
    elif options.what == "application":
        trees = [plugin.application("training", plugin.of_profiles(*where))]
    elif repository.startswith(OCI):
        raise BadQuestion(
            "an ApplicationSet looks for profiles in Git alone", "`specgen cmp application` is one for a folder of them"
        )
    else:
        trees = [plugin.application_set(*where)]
    terminal.answer(write_yaml_stream(trees))
    return exits.GOOD


def _opened(parameters: Parameters) -> Session:
    import os

    from specgen.cli.checkout import CheckoutFiles, checkout
    from specgen.cli.files import opened

    files = CheckoutFiles(checkout(os.environ))
    return opened(cluster=parameters.cluster, settings=parameters.settings, variant=parameters.variant, files=files)


def _generate(terminal: Terminal) -> int:
    """Prints all objects, or nothing and fails."""
    import os

    from specgen.cli.build import nameless, printed
    from specgen.cli.parameters import parameters
    from specgen.emit.gitops import is_hook

    asked = parameters(os.environ)
    session = _opened(asked)
    bundles = []
    for result in session.compile(asked.profiles, origins=False, applied=True):
        for compiled in result.compiled:
            if compiled.bundle is not None:
                # a hook of Argo CD may be called anew each time
                session.add([] if is_hook(compiled.bundle.job) else nameless(compiled))
                bundles.append(compiled.bundle)
    code = terminal.conclude(session)
    if not code and not bundles:
        where = ", ".join(asked.profiles)
        terminal.say(f"specgen: no job profile in {where}: to print nothing would let Argo CD delete all jobs")
        return exits.QUESTION
    if not code:
        terminal.answer(printed(bundles, "yaml"))
    return code


def _discover(terminal: Terminal) -> int:
    """Prints the profiles, one a line; whatever is wrong, this is a folder of another tool then."""
    import os

    from specgen.cli.checkout import CheckoutFiles, checkout
    from specgen.cli.parameters import Parameters, parameters
    from specgen.diagnostics.model import BadQuestion
    from specgen.diagnostics.safe import printable
    from specgen.pipeline import Text

    try:
        asked = parameters(os.environ)
    except BadQuestion:  # those of another plugin, as far as is known
        asked = Parameters()
    if any(os.path.lexists(name) for name in _OTHERS):
        return exits.GOOD
    files = CheckoutFiles(checkout(os.environ))
    for name in asked.profiles:
        try:
            below = files.below(name)
            for file in [name] if below is None else below:
                source, _ = files.named(file)
                if source is not None and Text(source).is_job:
                    terminal.answer(printable(file) + "\n")
        except BadQuestion:
            continue
    return exits.GOOD


def _announce(terminal: Terminal) -> int:
    """Prints what can be chosen; a profile with mistakes is no reason to offer nothing, `generate` names them."""
    import os
    from posixpath import relpath

    from specgen.cli.parameters import Parameters, parameters
    from specgen.diagnostics.model import BadQuestion
    from specgen.document.write import write_json
    from specgen.emit.plugin import announced

    chosen = Parameters()
    try:
        chosen.profiles = parameters(os.environ).profiles
    except BadQuestion:
        pass
    session = _opened(chosen)
    variants: dict[str, None] = {}
    clusters: dict[str, None] = {}
    try:
        for result in session.compile(chosen.profiles, origins=False):
            variants.update(dict.fromkeys(name for name in result.variants or () if name))
            for compiled in result.compiled:
                document = compiled.job.cluster_document
                if document is not None and document.source.name:
                    clusters[relpath(document.source.name)] = None
    except BadQuestion:
        pass
    terminal.answer(write_json(announced(list(variants), list(clusters))))
    return exits.GOOD
