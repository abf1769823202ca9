"""The jobs among the files of a session, be they profiles or manifests, each with what stands beside it."""

from __future__ import annotations

from specgen import operators
from specgen.checking import misnamed, operator_gang, operator_version
from specgen.diagnostics.model import WARNING, has_errors
from specgen.document.codes import DUPLICATE_KEY
from specgen.manifest.beside import Beside, Index
from specgen.pipeline import ONE_PROCESS, ignores, nowhere
from specgen.plan.codes import IDLE_GPUS
from specgen.session.runtimes import Runtimes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.manifest.model import Manifest
    from specgen.operators.reader import Reader
    from specgen.pipeline import Compiled, Result, Text
    from specgen.profile.cluster import ClusterProfile
    from specgen.session import Session
    from specgen.source import Source


class Job:
    """A job among the files, and what is known of its operator. ``ignored``: codes of warnings its profile answers."""

    __slots__ = ("cluster", "gang", "ignored", "manifest", "reader", "source", "version")

    def __init__(
        self,
        manifest: Manifest,
        source: Source,
        reader: Reader,
        version: str,
        gang: str | None,
        cluster: ClusterProfile | None,
        ignored: Sequence[str] = (),
    ) -> None:
        self.manifest = manifest
        self.source = source
        self.reader = reader
        self.version = version
        # its flag for gang scheduling
        self.gang = gang
        self.cluster = cluster
        self.ignored = ignored

    @property
    def file(self) -> str:
        return self.source.name


class Jobs:
    """Jobs in the order in which they were met, and all objects, each with its file. ``files``: the names of these.

    ``broken``: of each file of which a job cannot be made, its name and that of the job, empty where nobody knows it.
    """

    __slots__ = ("_index", "broken", "files", "jobs", "objects", "runtimes")

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.objects: list[tuple[Manifest, str]] = []
        self.runtimes = Runtimes()
        self.files: list[str] = []
        self.broken: list[tuple[str, str]] = []
        self._index: Index | None = None

    def take(self, text: Text, result: Result | None, session: Session, *, lenient: bool = False) -> None:
        """Takes what a text holds; ``result``: what it comes to, if it is a profile.

        lenient: of two equal keys in a manifest the last one counts, as where fields are not validated.
        """
        self.files.append(text.source.name)
        with session.trying(text.source):
            if result is None:
                jobs, objects = _of_manifests(text, session, lenient=lenient)
            else:
                jobs, objects = _of_profile(text, result)
            if has_errors(text.parsed[1]) or (result is not None and not _is_whole(result)):
                self.broken.append((text.source.name, _name(text)))
            self.jobs += jobs
            for one in objects:
                self.objects.append((one, text.source.name))
                self.runtimes.add(one, text.source.name)
            self._index = None

    def beside(self, job: Job) -> tuple[Sequence[Manifest], list[Manifest]]:
        """The objects beside a job, and those among them that its pods come from."""
        if self._index is None:
            self._index = Index([one for one, _ in self.objects])
        # the last one of its name counts
        runtime = self.runtimes.of(job.manifest, job.file)
        held = [] if runtime is None else [runtime]
        return Beside(self._index, job.manifest, held), held


def _is_whole(result: Result) -> bool:
    """Whether all jobs of a profile were made."""
    return bool(result.compiled) and all([one.bundle is not None for one in result.compiled])


def _name(text: Text) -> str:
    """What a profile calls its job, as far as it can be read."""
    data = next((document.data for document in text.parsed[0] if isinstance(document.data, dict)), {})
    metadata = data.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def _of_profile(text: Text, result: Result) -> tuple[list[Job], list[Manifest]]:
    """The jobs of a profile, and all objects that come with them."""
    jobs = []
    objects: list[Manifest] = []
    for compiled in result.compiled:
        bundle, reader, plan = compiled.bundle, compiled.reader, compiled.plan
        if bundle is None or reader is None or plan is None:
            continue
        cluster = compiled.job.cluster
        gang = operator_gang(cluster, reader)
        jobs.append(Job(bundle.job, text.source, reader, plan.version, gang, cluster, _answered(compiled)))
        # what the cluster profile says lies there already, such as a runtime of the cluster
        objects += [*bundle.manifests, *plan.existing]
    return jobs, objects


def _answered(compiled: Compiled) -> list[str]:
    """Codes of warnings to which the words of a profile are an answer, also where its manifest is judged."""
    job = compiled.job
    ignored = ignores(job.document, "")
    # how many processes there are is of its own code in manifests
    return [*ignored, ONE_PROCESS] if job.job.start is not None or IDLE_GPUS.id in ignored else ignored


def _of_manifests(text: Text, session: Session, *, lenient: bool) -> tuple[list[Job], list[Manifest]]:
    """The jobs among the manifests of a text, and all of its objects; none of a text that cannot be read."""
    findings = text.parsed[1]
    if lenient and all(finding.code is DUPLICATE_KEY for finding in findings):
        for finding in findings:
            # of two equal keys the last one counts where fields are not validated
            finding.severity = WARNING
    session.add(findings, nowhere(text.source))
    if has_errors(findings):
        return [], []
    objects = [manifest for found in text.objects for manifest in found]
    jobs = []
    for manifest in objects:
        reader = operators.by_object(manifest.ref.api_version, manifest.ref.kind)
        if reader is not None:
            cluster = session.cluster
            gang = operator_gang(cluster, reader) if cluster is not None else None
            version = operator_version(cluster, reader)
            jobs.append(Job(manifest, text.source, reader, version, gang, cluster))
        elif (slip := misnamed(manifest, session.cluster)) is not None:
            session.add([slip])
    return jobs, objects
