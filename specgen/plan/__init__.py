"""The sums: one job's words and its cluster's facts → pods, ranks, devices, network, placement.

What a plan is, plain values with their origins: ``model`` (the plan), ``pods`` (its roles and their containers),
``objects`` (what stands beside the job), ``kind`` (what must be known of a target), ``target`` (what the planner asks
the module that lowers to it), ``draft`` (a plan in the making, which knows its profile: only the planner does).

How it is made, in order: ``make`` (up to the gang), then ``complete`` (the pods in full, once their gang has marked
them). ``world`` (pods × processes, roles, who starts the program), ``torchrun`` and ``accelerate`` (their lines and
words), ``facts`` (what is said of the whole job), ``devices`` (the pool and amounts of a pod), ``other_devices`` (GPUs
and NPUs that no word of theirs asks for), ``queued_pools`` (pools that a queue chooses between), ``claims`` (devices by
resource claims), ``network`` (what the fabric brings), ``attach`` (HCAs by secondary networks or the node's own),
``fabric_env`` (variables that contradict the fabric), ``pod_security`` (levels that do), ``mounts`` (volumes),
``carried`` (files that the job brings along), ``extra_objects`` (claims and objects beside it), ``elastic`` (a number
of pods that changes), ``images`` (mirrors), ``capacity`` (what keeps pods apart, and shared memory; whether they fit,
schedulers say), ``eligible_nodes`` (labels and hosts that lead pods where nothing takes them), ``gang`` (which pods
start together), ``incidents`` (how many faults a job goes on after), ``checks`` (words of which nothing would come),
``mpi`` (a launcher and its workers, with ``mpi_line``, ``mpi_env``, ``mpi_ssh``, and ``mpi_adds``, what a pool adds to
one of them), ``deepspeed`` (what its own launcher passes on), ``affinity`` (where pods may run), ``security`` (rights
of a container), ``containers`` (those beside the program), ``runtime`` (one of the cluster, over which a job runs),
``generated`` (a job whose name the API server makes), ``node_name`` (the variable by which the trainer names its node),
``guard`` (the trainer's guard in front of the program), ``twin`` (the words of the job that tries the nodes first),
``codes`` (what only these sums find: of SG2xx, and SG3xx, SG5xx and SG6xx).

May import ``profile``, ``operators``, ``manifest``, ``document``, ``diagnostics``. To add a sum: a function here, a
field in ``model`` or ``pods``, and the lowerings that write it.
"""
