"""DeepSpeed's own launcher in the launcher of an MPIJob (`start: self`): what it passes on, and to whom.

Read from deepspeedai/DeepSpeed 0.19.8, deepspeed/launcher/runner.py (`EXPORT_ENVS`, `.deepspeed_env`) and
multinode_runner.py (PDSHRunner, OpenMPIRunner).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, listed
from specgen.operators.kubernetes.launchers import DEEPSPEED
from specgen.plan.mpi_line import ROOT
from specgen.profile import codes
from specgen.schema.remedies import said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.operators.kubernetes.launchers import Line
    from specgen.plan.draft import RoleDraft
    from specgen.plan.kind import Mpi

_OPENMPI = "openmpi"
# What the names of variables begin with that it hands on, and where others are said.
_HANDED = ("MLFLOW", "PYTHON", "MV2", "UCX", "DLTS_")
_FILE = ".deepspeed_env"
# Read by mpirun, by the runtime of a node, or by the launcher alone.
_NOT_OF_RANKS = ("OMPI_", "PRTE_", "NVIDIA_", "PDSH_", "DS_ENV_FILE")


def checks(launcher: RoleDraft, mpi: Mpi, line: Line) -> list[Finding]:
    """SG207, all warnings: an image may hold what the job does not show. For a launcher with workers."""
    if line.name != DEEPSPEED:
        return []
    profile = launcher.profile
    findings = []
    by_mpirun = line.value("launcher").lower() == _OPENMPI
    security = profile.words.security
    missing = [name for name in ROOT if name not in launcher.env]
    if by_mpirun and missing and not security.user and not security.non_root:
        text = said("env", dict.fromkeys(ROOT, "1"))
        findings.append(
            codes.CONTRADICTION.at(
                profile.place(("command", line.options["launcher"][1])),
                "`deepspeed` calls mpirun, which refuses to run as root unless it is told",
                notes=["not every release of DeepSpeed tells it"],
                helps=[f"write `{text}` below `roles.launcher`"],
                severity=WARNING,
            )
        )
    return findings + _left(launcher, mpi)


def _left(launcher: RoleDraft, mpi: Mpi) -> list[Finding]:
    """Variables that the launcher has, and ranks that sshd starts do not see."""
    profile = launcher.profile
    shell = " ".join([profile.words.prepare or "", *(profile.words.command or [])])
    if mpi.agent is not None or _FILE in shell or any(one.path.endswith(_FILE) for one in launcher.mounts):
        return []
    written = profile.data.get("env") or {}
    names = [name for name in written if not name.startswith((*_HANDED, *_NOT_OF_RANKS))]
    if not names:
        return []
    pattern = "|".join(names)
    return [
        codes.CONTRADICTION.at(
            profile.place(("env", names[0]), KEY),
            f"{listed(names[:4])}{' and others do' if len(names) > 4 else ' does' if len(names) == 1 else ' do'} not "
            "reach the ranks that `deepspeed` starts over ssh",
            notes=[f"it hands on what begins with {listed(list(_HANDED[:-1]))}, and what stands in `~/{_FILE}`"],
            helps=[f"write `roles: {{launcher: {{prepare: \"env | grep -E '^({pattern})=' > ~/{_FILE}\"}}}}`"],
            severity=WARNING,
        )
    ]
