"""What a cluster holds under the names of jobs: one question for each, and one for the runtime of each TrainJob."""

from __future__ import annotations

from specgen.cli.served import other_versions, path_of, resources
from specgen.diagnostics.model import BadQuestion
from specgen.document.tree import Document, Mapping
from specgen.manifest.model import Manifest, key_of
from specgen.manifest.views import mapping
from specgen.operators.trainer.facts import RUNTIMES
from specgen.session.jobs import Job, Jobs
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.cli.api import Api
    from specgen.cli.served import Resource
    from specgen.manifest.model import Key


class Held:
    """The jobs of a cluster that have the names of others; ``unread``: key of a job → why it is not known."""

    __slots__ = ("_api", "_namespace", "_served", "_source", "jobs", "unread")

    def __init__(self, api: Api, namespace: str, jobs: Jobs) -> None:
        """``namespace``: of jobs that name none. Raises BadQuestion where no answer comes."""
        self._api = api
        self._namespace = namespace
        self._served: dict[str, dict[str, Resource] | None] = {}
        self._source = Source(name_of(api), "")
        self.jobs = Jobs()
        self.unread: dict[Key, str] = {}
        for job in jobs.jobs:
            # of one that the server names there is none yet
            if mapping(job.manifest.tree.get("metadata")).get("name"):
                self._take(job, jobs)

    def _take(self, job: Job, jobs: Jobs) -> None:
        ref = job.manifest.ref
        found = self._read(ref.api_version, ref.kind, ref.namespace or self._namespace, ref.name)
        if isinstance(found, str):
            self.unread[key_of(job.manifest)] = found
            return
        if found is None:
            return
        self.jobs.jobs.append(Job(found, self._source, job.reader, job.version, job.gang, job.cluster))
        self._keep(found)
        runtimes = jobs.beside(job)[1]
        if runtimes and (named := mapping(mapping(found.tree.get("spec")).get("runtimeRef"))):
            kind, name = named.get("kind", RUNTIMES[0]), named.get("name")
            if kind in RUNTIMES and isinstance(name, str) and name:
                space = found.ref.namespace or self._namespace
                runtime = self._read(ref.api_version, kind, space, name)
                if isinstance(runtime, str):
                    self.unread[key_of(job.manifest)] = f"its {kind} `{name}` is not known: {runtime}"
                elif runtime is not None:
                    self._keep(runtime)

    def _keep(self, manifest: Manifest) -> None:
        self.jobs.objects.append((manifest, self._source.name))
        self.jobs.runtimes.add(manifest, self._source.name)

    def _read(self, api_version: str, kind: str, namespace: str, name: str) -> Manifest | str | None:
        """The object; None: there is none of that name; or why that is not known."""
        from urllib.parse import quote

        if api_version not in self._served:
            self._served[api_version] = resources(self._api, api_version)
        resource = (self._served[api_version] or {}).get(kind)
        if resource is None:
            others = "; ".join(other_versions(self._api, api_version))
            return f"the cluster serves no {kind} of `{api_version}`" + (f" ({others})" if others else "")
        answer = self._api.ask(f"{path_of(api_version, resource, namespace)}/{quote(name, safe='')}")
        if answer.status == 404:
            return None
        if answer.status == 403:
            where = f" in the namespace {namespace}" if resource[1] else ""
            return f"this user may not get {resource[0]}{where} (403)"
        if answer.status != 200:
            raise BadQuestion(f"{self._api.host}: it does not answer now ({answer.status})", "ask again later")
        tree = {**answer.body, "apiVersion": api_version, "kind": kind}
        if answer.body.get("kind") != kind or mapping(tree.get("metadata")).get("name") != name:
            raise BadQuestion(f"{self._api.host}: what it answers is not the {kind} `{name}`")
        return Manifest(tree, Document(self._source, Mapping(0), 0))


def name_of(api: Api) -> str:
    """How the cluster is called where a file would be named."""
    return f"cluster {api.name or api.host}"
