"""Ask a cluster what it would say of jobs, without changing anything in it.

  specgen apply --dry-run=server job.yaml
  specgen apply --dry-run=server --context lab profiles/

Every object is built as by `specgen build`, and sent as `kubectl apply --server-side --dry-run=server` sends it: the
API server checks it by the schemas of the cluster's own CRDs and asks all of its webhooks; nothing is stored. What it
refuses, and what it warns of, is reported at the line of the profile from which the field follows. Fields that others
own are taken over (--force-conflicts of kubectl), as Argo CD and Flux do.

Nothing is ever applied: that is for kubectl, Argo CD, or Flux.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.api import Answer, Api
    from specgen.cli.terminal import Terminal
    from specgen.manifest.model import Manifest
    from specgen.pipeline import Compiled
    from specgen.session import Session

HELP = "ask a cluster what it would say of jobs, by a dry run"
EXAMPLES = (
    ("specgen apply --dry-run=server job.yaml", "what the API server and its webhooks would say of it"),
    ("specgen apply --dry-run=server -n vision job.yaml", "the same in a namespace, where the profile names none"),
)

_MANAGER = "specgen"


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import cluster_access, common, profiles

    parser.add_argument(
        "files", nargs="+", metavar="PROFILE", help="job profiles, folders of them, or - for standard input"
    )
    parser.add_argument("--dry-run", metavar="server", help="server: the cluster judges, and stores nothing")
    parser.add_argument("-n", "--namespace", metavar="NAME", help="of objects that name none; the context's without it")
    cluster_access(parser)
    profiles(parser)
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.files import opened
    from specgen.diagnostics.model import BadQuestion

    if options.dry_run is None:
        help = "`specgen build … | kubectl apply -f -` does, and so do Argo CD and Flux; `--dry-run=server` only asks"
        raise BadQuestion("specgen applies nothing", help)
    if options.dry_run != "server":
        without = "`specgen build` judges without a cluster" if options.dry_run == "client" else None
        raise BadQuestion(f"--dry-run takes `server`, not `{options.dry_run}`", without)
    session = opened(cluster=options.cluster, settings=options.set, variant=options.variant, mib=options.max_input)
    jobs = [
        compiled
        for result in session.compile(options.files)
        for compiled in result.compiled
        if compiled.bundle is not None
    ]
    if session.failed or session.unreadable or not jobs:
        code = terminal.conclude(session)
        if not jobs and not code:
            terminal.say("specgen: no job profile among these files, nothing is asked")
            return exits.QUESTION
        return code
    from specgen.cli.api import Api

    with Api(options.kubeconfig, options.context) as api:
        lines = _asked(api, jobs, options.namespace or api.namespace, session)
    code = terminal.conclude(session)
    if not terminal.quiet:
        terminal.answer("".join(f"{line}\n" for line in lines))
    return code


def _asked(api: Api, jobs: list[Compiled], namespace: str, session: Session) -> list[str]:
    """Sends all objects, takes what is found, and says what would become of those that are taken."""
    from specgen.answers.codes import UNSERVED
    from specgen.answers.verdict import judged
    from specgen.cli.files import day
    from specgen.cli.served import other_versions, resources
    from specgen.diagnostics.model import ERROR
    from specgen.pipeline import ignores

    served: dict[str, dict[str, tuple[str, bool]] | None] = {}
    answers: list[tuple[Manifest, Answer, list[str], str]] = []
    lines = []
    sent = [
        (manifest, ignores(job.job.document, day()))
        for job in jobs
        if job.bundle is not None
        for manifest in job.bundle.manifests
    ]
    for manifest, ignored in sent:
        ref = manifest.ref
        if ref.api_version not in served:
            served[ref.api_version] = resources(api, ref.api_version)
        resource = (served[ref.api_version] or {}).get(ref.kind)
        if resource is None:
            message = f"the cluster {api.host} serves no {ref.kind} of `{ref.api_version}`"
            finding = UNSERVED.at(("kind",), message, notes=other_versions(api, ref.api_version))
            finding.subject = ref.as_dict()
            session.add([finding], manifest.where)
            continue
        space = f"{ref.namespace or namespace}/" if resource[1] else ""
        answers.append((manifest, _dry_run(api, manifest, resource, namespace), ignored, space))
    fresh = [manifest for manifest, answer, *_ in answers if answer.status == 201]
    for manifest, answer, ignored, space in answers:
        found = judged(manifest, answer.status, answer.body, answer.warnings, fresh)
        session.add([one for one in found if one.severity == ERROR or one.code.id not in ignored])
        if answer.status < 400:
            ref = manifest.ref
            did = "would be created" if answer.status == 201 else "would be configured"
            lines.append(f"{ref.kind} {space}{ref.name}: {did}")
    return lines


def _dry_run(api: Api, manifest: Manifest, resource: tuple[str, bool], namespace: str) -> Answer:
    """The answer to one object. Raises BadQuestion where this user may not ask."""
    import json
    from urllib.parse import quote

    from specgen.cli.served import path_of, rights
    from specgen.diagnostics.model import BadQuestion

    plural, namespaced = resource
    ref = manifest.ref
    space = ref.namespace or namespace
    path = path_of(ref.api_version, resource, space)
    query = [("dryRun", "All"), ("fieldManager", _MANAGER), ("fieldValidation", "Strict")]
    body = json.dumps(manifest.tree)
    if "generateName" in manifest.tree.get("metadata", {}) and "name" not in manifest.tree["metadata"]:
        answer = api.ask(path, query, method="POST", body=body)
    else:
        # JSON is YAML
        query.append(("force", "true"))
        path += f"/{quote(ref.name, safe='')}"
        answer = api.ask(path, query, method="PATCH", body=body, content="application/apply-patch+yaml")
    if answer.status == 403 and " cannot " in answer.message and "admission webhook" not in answer.message:
        where = f" in the namespace {space}" if namespaced else ""
        message = f"{api.host}: this user may not apply {plural}{where}, not even in a dry run (403)"
        raise BadQuestion(message, rights())
    if answer.status in (429, 503) or (answer.status >= 500 and not answer.message):
        raise BadQuestion(f"{api.host}: it does not judge now ({answer.status})", "ask again later")
    return answer
