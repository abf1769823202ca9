"""sshd in the workers and ssh in the launcher: ports, keys, options, and how the launcher waits for the workers."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING
from specgen.manifest.origins import Sourced
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.draft import RoleDraft
    from specgen.plan.kind import Mpi
    from specgen.plan.model import World
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.start import Ssh, StartChoice

# What the operators hand to ssh (mpi-operator 0.8, pkg/controller/mpi_job_controller.go; Trainer 2.3 likewise), and by
# which variable; options of the job's own stand behind it.
_ATTEMPTS = ("-o", "ConnectionAttempts=10")
_VARIABLES = {
    # up to Open MPI 4, and from 5 on
    "OpenMPI": ("OMPI_MCA_plm_rsh_args", "PRTE_MCA_plm_ssh_args"),
    "Intel": ("I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS",),
    "MPICH": ("HYDRA_LAUNCH_EXTRA_ARGS",),
}
# Port 22 of a node is the node's own sshd.
_HOST_PORT = 2222
# Two seconds a turn, so an hour: images of tens of gigabytes are pulled meanwhile.
_TURNS = 1800
_WAIT = """\
turns=0
while read -r host slots; do
  host=${host%%:*}
  [ "$host" != "$HOSTNAME" ] || continue
  until said=$(REACH </dev/null 2>&1); do
    turns=$((turns + 1))
    if [ "$turns" -ge TURNS ]; then
      echo "the worker $host does not answer: $said" >&2
      exit 1
    fi
    [ "$((turns % 30))" -ne 0 ] || echo "waiting for the worker $host: $said" >&2
    sleep 2
  done
done <HOSTFILE
"""


class SshOptions:
    """Options of ssh and sshd, from ``start.ssh`` and from the network."""

    __slots__ = ("job", "port", "said")

    def __init__(self, job: ResolvedJob, start: StartChoice, worker: RoleDraft | None, *, own_command: bool) -> None:
        self.job = job
        self.said: Ssh | None = start.ssh
        self.port: Sourced | None = None
        if self.said is not None and self.said.port is not None:
            self.port = Sourced(self.said.port, self.place("port"), "`start.ssh.port`")
        elif worker is not None and on_host_network(worker) and not own_command:
            place = (worker.devices.on_host or worker.pod["hostNetwork"]).place
            self.port = Sourced(_HOST_PORT, place, "on the host's network, port 22 is the node's own sshd")

    def place(self, key: str, part: str = "value") -> Place:
        return self.job.place(("start", "ssh", key), part)

    def client(self) -> list[str]:
        """Options of ssh besides the operator's."""
        words = ["-p", str(self.port.value)] if self.port is not None else []
        for option in self.said.client if self.said is not None else ():
            words += ["-o", option]
        return words

    def arguments(self) -> list[str]:
        """All options of ssh, where the job has some of its own."""
        own = self.client()
        return [*_ATTEMPTS, *own] if own else []

    def export(self, implementation: str) -> str:
        """Shell text that sets the options where no option of the starter does."""
        words = self.arguments()
        value = " ".join(words).replace("'", "'\\''")
        return "".join(f"export {name}='{value}'\n" for name in _VARIABLES[implementation]) if words else ""

    def server(self) -> list[str]:
        """Options of sshd."""
        words = ["-p", str(self.port.value)] if self.port is not None else []
        if self.said is not None and self.said.config is not None:
            words += ["-f", self.said.config]
        for option in self.said.server if self.said is not None else ():
            words += ["-o", option]
        return words

    def origin(self) -> Place | None:
        """Where the options of sshd were written, the first of them."""
        for key in ("config", "server"):
            if self.said is not None and getattr(self.said, key):
                return self.place(key, KEY)
        return self.port.place if self.port is not None else None

    def listens(self, worker: RoleDraft, own_command: bool) -> Sourced | None:
        """The port to probe, by the job's word or as its image is known; None where nobody knows it.

        A command of one's own may start sshd on any port, and so may a configuration.
        """
        if self.port is not None:
            return self.port
        image = worker.profile.words.image
        if own_command or not image:
            return None
        from specgen.operators.mpi.images import sshd_port  # few jobs let the launcher be held

        known = sshd_port(image, self.said.config if self.said is not None else None)
        if known is None:
            return None
        port, name = known
        return Sourced(port, worker.profile.place(("image",)), f"sshd of `{name}` listens there")


def on_host_network(role: RoleDraft) -> bool:
    """Whether the pods of a role share their nodes' network, by the job's word or the fabric's."""
    return role.devices.on_host is not None or ("hostNetwork" in role.pod and bool(role.pod["hostNetwork"].value))


def checks(job: ResolvedJob, start: StartChoice, mpi: Mpi, starter: str) -> list[Finding]:
    """SG207 and SG208: options that are no single words, ssh where there is none, keys that nobody can read."""
    ssh = start.ssh
    findings = []
    if ssh is not None and mpi.agent is not None:
        message = "`ssh` contradicts the target, whose launcher reaches its workers by `kubectl exec`"
        return [codes.NOT_FOR_TARGET.at(job.place(("start", "ssh"), KEY), message)]
    for key in ("server", "client"):
        for index, option in enumerate(getattr(ssh, key) if ssh is not None else ()):
            if " " in option or "=" not in option:
                message = f"`{option}` is no option as `Name=value` without blanks"
                findings.append(codes.CONTRADICTION.at(job.place(("start", "ssh", key, index)), message))
    if ssh is not None and ssh.client and starter == "horovodrun":
        message = "`client` contradicts `horovodrun`, which calls ssh with options of its own"
        findings.append(codes.NOT_FOR_TARGET.at(job.place(("start", "ssh", "client"), KEY), message))
    return findings


def readable(job: ResolvedJob, worker: RoleDraft, mpi: Mpi, start: StartChoice, *, own_command: bool) -> list[Finding]:
    """SG207: processes of another user than root, and keys that lie in root's home or are root's.

    A warning of the keys of sshd itself, ``/etc/ssh/ssh_host_*``: an image may have given them to its user.
    """
    if mpi.agent is not None:
        return []
    ssh = start.ssh
    security = worker.profile.words.security
    level, where = job.pod_security
    restricted = level == "restricted" and not worker.profile.removed(("security", "nonRoot"))
    if security.user:
        said, place = f"user: {security.user}", worker.profile.place(("security", "user"))
    elif security.non_root:
        said, place = "nonRoot: true", worker.profile.place(("security", "nonRoot"))
    elif restricted and security.user is None and security.non_root is None:
        said, place = "podSecurity: restricted", job.cluster_place(where)
    else:
        return []
    if ssh is not None and ssh.keys is not None:
        if own_command or ssh.config is not None or any(one.startswith("HostKey=") for one in ssh.server or ()):
            return []
        message = f"`{said}` contradicts the keys of sshd, `/etc/ssh/ssh_host_*`, which root alone reads in most images"
        helps = [
            "`start.ssh.config` names a configuration whose `HostKey` that user reads, such as "
            "`/home/mpiuser/.sshd_config` of the images of the mpi-operator"
        ]
        notes = ["sshd ends with `no hostkeys available`, and the launcher reaches no worker"]
        return [codes.CONTRADICTION.at(place, message, helps=helps, notes=notes, severity=WARNING)]
    message = f"`{said}` contradicts the keys of ssh, which lie under `{mpi.keys}` and are root's"
    helps = ["`start.ssh.keys` names a directory of the image's own user, such as `/home/mpiuser/.ssh`"]
    return [codes.CONTRADICTION.at(place, message, helps=helps)]


def loop(worker: RoleDraft, mpi: Mpi, start: StartChoice, options: SshOptions) -> str:
    """Shell text in which the launcher waits until each host answers."""
    if mpi.agent is not None:
        reach = f'{mpi.agent} "$host" {_ready(worker, mpi)}'
    else:
        own = " ".join(["-o BatchMode=yes -o ConnectTimeout=5", *(_quoted(word) for word in options.client())])
        reach = f'ssh {own} "$host" true'
    text = _WAIT.replace("REACH", reach).replace("TURNS", str(_TURNS))
    return text.replace("HOSTFILE", _quoted(start.hostfile or mpi.hostfile))


def listed(mpi: Mpi, count: World, start: StartChoice, *, workers: bool) -> str:
    """Shell text that writes the host file, with slots, where the operator mounts a list of hosts without them.

    That list has no line's end behind its last host (svc of Volcano), so that no line of it is read.
    """
    if not mpi.hosts or start.hostfile is not None or not workers:
        return ""
    slots = f"slots={count.procs_per_pod}"
    own = f'  echo "$HOSTNAME {slots}"\n' if count.trains is not None else ""
    text = f'{{\n{own}  for host in $(cat {_quoted(mpi.hosts)}); do echo "$host {slots}"; done\n}}'
    return f"{text} >{_quoted(mpi.hostfile)}\n"


def _ready(worker: RoleDraft, mpi: Mpi) -> str:
    """Without sshd nothing tells when ``prepare`` is done, but that another program has taken the shell's place."""
    if not worker.profile.words.prepare:
        return "true"
    words = (worker.profile.job.layers.data.get("roles") or {}).get(worker.word) or {}
    command = words.get("command") or mpi.idle
    name = command[0].rpartition("/")[2][:15]
    return f"""'test "$(cat /proc/1/comm)" = {name}'"""


def _quoted(word: str) -> str:
    """A word of a shell's line."""
    if all(sign.isalnum() or sign in "-_=./:,@%+" for sign in word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"
