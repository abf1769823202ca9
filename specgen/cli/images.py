"""List every image that the pods of a job pull, or the operators of a cluster, and what rewrote it.

The images of all containers of all roles, those that the operator puts into the pods included, and those of the objects
beside the job. An image is pulled as written unless the cluster profile has a mirror: an entry of images.mirrors for
any image, operators.<name>.mirror for those that the operator adds. The latter arrive only if the operator was
installed with the flag that is named, as `specgen operators` writes it.

Of a cluster profile, the images of the operators that it lists: their own, those of JobSet that Trainer brings, and
those that they put into the pods of jobs. None of them needs cert-manager. Tags are those of upstream's manifests; what
they hold an image by is said beside it: a digest stays, a tag is what its registry makes of it.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence
    from typing import Any

    from specgen.cli.terminal import Terminal
    from specgen.document.tree import Document
    from specgen.install.images import Image
    from specgen.install.own_images import OwnImage
    from specgen.manifest.model import ObjectRef
    from specgen.pipeline import Compiled
    from specgen.profile.cluster import ClusterProfile
    from specgen.session import Session
    from specgen.source import Path

HELP = "list the images that the pods of a job pull, or the operators of a cluster"
EXAMPLES = (
    ("specgen images job.yaml", "the images of all containers of its pods"),
    ("specgen images cluster.yaml -o json", "those of the cluster's operators, for programs"),
)

_OPERATORS = ("OPERATOR", "KIND", "IMAGE", "PINNED BY", "PULLED AS", "REWRITTEN BY")
_HEAD = ("ROLE", "CONTAINER", "KIND", "IMAGE", "PULLED AS", "REWRITTEN BY", "WHERE")
_GAP = "  "


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common, profiles

    parser.add_argument(
        "files",
        nargs="+",
        metavar="PROFILE",
        help="job profiles, folders of them, cluster profiles, or - for standard input",
    )
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text", help="form of the answer")
    profiles(parser)
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.files import opened

    session = opened(cluster=options.cluster, settings=options.set, variant=options.variant, mib=options.max_input)
    listings: list[tuple[ObjectRef, list[Image], ClusterProfile]] = []
    documents: list[Document] = []
    for result in session.compile(options.files, clusters=documents):
        for compiled in result.compiled:
            if compiled.bundle is not None and not result.failed:
                with session.trying(compiled.job.document.source):
                    listings.append(_listing(compiled, terminal))
    clusters = []
    for document in documents:
        with session.trying(document.source):
            clusters.append(_of_cluster(session, document, terminal))
    code = terminal.conclude(session)
    if code:
        return code
    bare = [document.source.name for document, (_, _, found) in zip(documents, clusters, strict=True) if not found]
    if bare:
        terminal.say(f"specgen: {bare[0]} lists no operators, nothing is listed")
        return exits.QUESTION
    if not listings and not clusters:
        terminal.say("specgen: no job profile among these files, nothing is listed")
        return exits.QUESTION
    if options.output == "json":
        from specgen.document.write import write_json

        found = [_tree(job, one) for job, images, _ in listings for one in images]
        own = [_own_tree(one) for _, _, images in clusters for one in images]
        terminal.answer(write_json({"images": [*found, *own]}))
    else:
        tables = [_table(job, found, cluster) for job, found, cluster in listings]
        tables += [_own_table(name, cluster, found) for name, cluster, found in clusters]
        terminal.answer("\n".join(tables))
    return exits.GOOD


def _of_cluster(session: Session, document: Document, terminal: Terminal) -> tuple[str, ClusterProfile, list[OwnImage]]:
    from specgen.install.own_images import UNKNOWN, own_images

    cluster = session.library.cluster(document)
    found, findings = own_images(cluster)
    session.add(findings, document)
    for name in dict.fromkeys(one.operator for one in found if one.pinned == UNKNOWN):
        terminal.say(f"specgen: tags that are not given here are those of the manifests of {name}")
    return cluster.metadata.name, cluster, found


def _own_tree(image: OwnImage) -> dict[str, Any]:
    by = {"path": list(image.pulled.by), "flag": image.flag or None} if image.pulled.by else None
    return {
        "operator": image.operator,
        "kind": image.kind,
        "written": image.written,
        "pinnedBy": image.pinned,
        "pulled": image.pulled.image,
        "rewrittenBy": by,
    }


def _own_table(name: str, cluster: ClusterProfile, found: list[OwnImage]) -> str:
    from specgen.diagnostics.model import plural

    rows = [
        (
            one.operator,
            one.kind,
            one.written,
            one.pinned,
            _pulled(one.written, one.pulled.image),
            _by(one.pulled.by, one.flag, cluster),
        )
        for one in found
    ]
    pulled = list(dict.fromkeys(one.pulled.image for one in found))
    return _lines(f"the operators of {name} pull {plural(len(pulled), 'image')}", _OPERATORS, rows) + _pins(found)


def _pins(found: list[OwnImage]) -> str:
    """What does not hold the images still, in lines below them."""
    from specgen.diagnostics.model import listed
    from specgen.diagnostics.safe import log_line
    from specgen.install.own_images import DIGEST, MOVING_TAG

    lines = []
    if not any(one.pinned == DIGEST for one in found):
        lines.append("no image has a digest: the manifests of these releases name tags, which a registry can give anew")
    moving = list(dict.fromkeys(one.written for one in found if one.pinned == MOVING_TAG))
    if moving:
        lines.append(f"tags that move with every push: {listed(moving, most=len(moving))}")
    return "".join(f"{log_line(line)}\n" for line in ("", *lines)) if lines else ""


def _listing(compiled: Compiled, terminal: Terminal) -> tuple[ObjectRef, list[Image], ClusterProfile]:
    from specgen.checking import operator_gang, workload_of
    from specgen.install.images import images
    from specgen.operators.expand import expand_manifest

    bundle, backend, plan = compiled.bundle, compiled.reader, compiled.plan
    assert bundle is not None and backend is not None and plan is not None
    cluster = compiled.job.cluster
    expansion = None
    if backend.speaks_for(plan.version):
        gang = operator_gang(cluster, backend)
        beside = [*(one for one in bundle.manifests if one is not bundle.job), *plan.existing]
        expansion, _ = expand_manifest(bundle.job, backend, plan.version, gang=gang, companions=beside)
    else:
        terminal.say(
            f"specgen: what {backend.operator.name} {plan.version} puts into pods is not known here, and is not listed"
        )
    from specgen.operators.trainer.shipped import NAMES

    if plan.runtime is not None and plan.runtime.value not in NAMES and not plan.existing:
        why = "`operators.trainer.runtimes` says its name alone, and names no file"
        terminal.say(f"specgen: what the runtime `{plan.runtime.value}` pulls is not known, and is not listed: {why}")
    workload = workload_of(backend, bundle.job, plan.version, [*bundle.manifests, *plan.existing])
    return bundle.job.ref, images(bundle, plan, cluster, workload, expansion, backend), cluster


def _tree(job: ObjectRef, image: Image) -> dict[str, Any]:
    where = {"file": image.file, "line": image.line} if image.file else None
    by = {"path": list(image.by), "flag": image.flag or None} if image.by else None
    return {
        "job": job.as_dict(),
        "role": image.role,
        "container": image.container,
        "kind": image.kind,
        "written": image.written,
        "pulled": image.pulled,
        "rewrittenBy": by,
        "where": where,
    }


def _table(job: ObjectRef, found: list[Image], cluster: ClusterProfile) -> str:
    """The images of a job: a summary and a row for each container of each role."""
    from specgen.diagnostics.model import plural

    name = f"{job.namespace}/{job.name}" if job.namespace else job.name
    pulled = list(dict.fromkeys(image.pulled for image in found))
    rows = [_row(image, cluster) for image in found]
    return _lines(f"{job.kind} {name} pulls {plural(len(pulled), 'image')}", _HEAD, rows)


def _lines(summary: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A summary and a table in lines, the last one ended."""
    from specgen.diagnostics.safe import log_line, printable, width

    safe = [tuple(printable(cell) for cell in row) for row in (head, *rows)]
    widths = [max(width(row[at]) for row in safe) for at in range(len(head))]
    lines = [summary, ""]
    for row in safe:
        cells = [cell + " " * (widths[at] - width(cell)) for at, cell in enumerate(row)]
        lines.append(_GAP.join(cells).rstrip())
    return "".join(log_line(line) + "\n" for line in lines)


def _by(path: Path, flag: str, cluster: ClusterProfile) -> str:
    by = "-"
    if path[:2] == ("images", "mirrors"):
        entry = str(path[2])
        by = f"images.mirrors: {entry} -> {cluster.images.mirrors[entry]}"
    elif path:
        by = ".".join(str(step) for step in path)
    return f"{by}, by {flag}" if flag else by


def _pulled(written: str, pulled: str) -> str:
    return pulled if pulled != written else "as written"


def _row(image: Image, cluster: ClusterProfile) -> tuple[str, ...]:
    where = f"{image.file}:{image.line}" if image.file else "-"
    pulled = _pulled(image.written, image.pulled)
    by = _by(image.by, image.flag, cluster)
    return image.role, image.container, image.kind, image.written, pulled, by, where
