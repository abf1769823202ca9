"""List every image that the pods of a job pull, and what rewrote it.

The images of all containers of all roles, those that the operator puts into the pods included, and those of the objects
beside the job. An image is pulled as written unless the cluster profile has a mirror: an entry of images.mirrors for
any image, operators.<name>.mirror for those that the operator adds. The latter arrive only if the operator was
installed with the flag that is named, as `specgen operators` writes it.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Any

    from specgen.cli.terminal import Terminal
    from specgen.install.images import Image
    from specgen.manifest.model import ObjectRef
    from specgen.pipeline import Compiled
    from specgen.profile.cluster import ClusterProfile

HELP = "list the images that the pods of a job pull"

_HEAD = ("ROLE", "CONTAINER", "KIND", "IMAGE", "PULLED AS", "REWRITTEN BY", "WHERE")
_GAP = "  "


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    from specgen.cli.options import common, profiles

    parser.add_argument(
        "files", nargs="+", metavar="PROFILE", help="job profiles, folders of them, or - for standard input"
    )
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text", help="form of the answer")
    profiles(parser)
    common(parser)


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    from specgen.cli.files import opened

    session = opened(cluster=options.cluster, settings=options.set, variant=options.variant)
    listings: list[tuple[ObjectRef, list[Image], ClusterProfile]] = []
    for result in session.compile(options.files):
        for compiled in result.compiled:
            if compiled.bundle is not None and not result.failed:
                listings.append(_listing(compiled, terminal))
    code = terminal.conclude(session)
    if code:
        return code
    if not listings:
        terminal.say("specgen: no job profile among these files, nothing is listed")
        return exits.QUESTION
    if options.output == "json":
        from specgen.document.write import write_json

        terminal.answer(write_json({"images": [_tree(job, one) for job, found, _ in listings for one in found]}))
    else:
        terminal.answer("\n".join(_table(job, found, cluster) for job, found, cluster in listings))
    return exits.GOOD


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
    """The images of a job in lines, the last one ended: a summary and a row for each container of each role."""
    from specgen.diagnostics.model import plural
    from specgen.diagnostics.safe import printable, width

    name = f"{job.namespace}/{job.name}" if job.namespace else job.name
    pulled = list(dict.fromkeys(image.pulled for image in found))
    rows = [_HEAD, *(_row(image, cluster) for image in found)]
    safe = [tuple(printable(cell) for cell in row) for row in rows]
    widths = [max(width(row[at]) for row in safe) for at in range(len(_HEAD))]
    lines = [printable(f"{job.kind} {name} pulls {plural(len(pulled), 'image')}"), ""]
    for row in safe:
        cells = [cell + " " * (widths[at] - width(cell)) for at, cell in enumerate(row)]
        lines.append(_GAP.join(cells).rstrip())
    return "".join(line + "\n" for line in lines)


def _row(image: Image, cluster: ClusterProfile) -> tuple[str, ...]:
    by = "-"
    if image.by[:2] == ("images", "mirrors"):
        entry = str(image.by[2])
        by = f"images.mirrors: {entry} -> {cluster.images.mirrors[entry]}"
    elif image.by:
        by = ".".join(str(step) for step in image.by)
    if image.flag:
        by += f", by {image.flag}"
    where = f"{image.file}:{image.line}" if image.file else "-"
    pulled = image.pulled if image.pulled != image.written else "as written"
    return image.role, image.container, image.kind, image.written, pulled, by, where
