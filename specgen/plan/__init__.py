"""The sums: one job's words and its cluster's facts → pods, ranks, devices, network, placement.

Lives here: ``make`` (the order of all), ``model`` (what a plan is), ``kind`` (what must be known of a target),
``world`` (pods × processes, roles, who starts the program), ``torchrun`` (its line and its words), ``devices`` (the
pool and amounts of a pod), ``claims`` (devices by resource claims), ``network`` (what the fabric brings), ``attach``
(HCAs by secondary networks or the node's own), ``adds`` (what the fabric adds), ``against`` (variables that go
against it), ``levels`` (Pod Security against it), ``mounts`` (volumes), ``carried`` (files that the job brings
along), ``companions`` (claims and objects beside it), ``elastic`` (a number of pods that changes), ``images``
(mirrors), ``placing`` (where pods may run), ``placement`` (does it fit the nodes), ``packing`` (which role lacks what
where), ``pools`` (labels, hosts and taints that keep pods off), ``gang`` (which pods start together, and what they
need), ``checks`` (words of which nothing would come), ``mpi`` (a launcher and its workers, with ``mpi_line``,
``mpi_env``, ``mpi_ssh``, and ``launching`` of what differs between their operators), ``codes`` (what only these sums
find: of SG2xx, and SG3xx, SG5xx and SG6xx). A plan knows no kind of manifest: which roles a kind has, it is told.
May import ``profile``, ``document``, ``diagnostics``. To add a sum: a function here, a field in ``model``, and the
backends that write it.
"""
