"""The command line: arguments, files, terminals, exit codes. Everything below it is functions.

Lives here: ``main`` (dispatch and the last line of defence), one module a verb with ``add(parser)`` and ``run(options,
terminal)``: ``build``, ``lint``, ``fix``, ``expand``, ``diff``, ``fit``, ``explain``, ``images``, ``init``,
``operators``, ``gitops``, ``cmp``, ``krm``, ``ci``, ``run``, ``schema``, ``cluster``, ``apply``, ``completion``;
``options`` (those that verbs share), ``files`` (the session that a verb begins with; regular files under the root,
within limits), ``given`` (texts of a function beside them), ``root`` (which folder that is), ``checkout`` (files that
an Application of Argo CD names) and ``parameters`` (what else it asks), ``repository`` (its URL, as each controller
takes it), ``belonging`` (what of it profiles may read), ``rewrite`` (one file as a whole or not at all), ``bases``
(copies of operators' manifests on disk), ``tree`` (the output tree: what is written and said) and ``synced`` (what
those need to know who sync it), ``folder`` (how it changes on disk), ``pods`` (what an operator makes, as a table),
``fitting`` (verdicts, as one), ``picture`` (where pods stand, drawn), ``largest`` (the largest value that fits),
``submissions`` (files that are named twice), ``rendered`` (the way to what a kustomization makes),
``queued`` (what queues say of them), ``queue_picture`` (drawn), ``fields`` (what becomes of each field), ``lifecycle``
(what becomes of the job), ``differences`` (what changed of jobs, in three forms), ``revision`` (files of a revision of
git), ``untouched`` (profiles that are the same on both sides), ``processes`` (those of one job on this machine:
started, marked, stopped together), ``keeper`` (their parent, a program of its own) and ``kept`` (who asks it),
``terminal`` (streams, colour, what a session found), ``kustomize`` (how kustomizations are rendered), ``api`` (an API
server: one question, one answer), ``served`` (the kinds that it serves), ``live`` (the jobs that it holds), ``listing``
(what a live cluster shows of itself), ``progress`` (how far a long run is), ``workers`` (processes that work at once),
``codes`` (every code with its page), ``exits`` (exit codes), ``lookup`` (pages of the reference), ``beginning`` (the
job profile that `init` prints), ``begun`` (what its options leave open), ``launched`` (what the line of a launcher says
of it; ``by_mpi`` that of MPI's, ``by_itself`` that of a program which starts its processes, ``agreed`` where their
numbers meet those of options), ``configured`` (and accelerate's file), ``hosts`` (and one of hosts), ``slurm`` (and one
of Slurm), ``batch`` (and a script, by ``interpreter``, what its shell would do, ``variables``, what becomes of them,
``substitution``, what that makes of words, ``arithmetic``, what sums come to, ``called``, what commands do,
``wrapped``, what runs a program, ``sweep``, how its starts differ, ``tasks``, what each of Slurm's reads of itself,
and ``decided``, options by files), ``lightning`` (and sizes of Lightning), ``read_by`` (what a program reads, and a
script starts), ``brought`` (what of that a profile says), ``backward`` (what there is for who has a manifest),
``asking`` (on a terminal) and ``handed`` (a profile that was made), ``meant`` (for words that there are none of),
``told`` (what a person at a terminal is told of a job that was built), ``becoming`` (what the lines of profiles become
in a manifest).
May import everything; a verb's module imports what it needs inside ``run``, so that no verb pays for another.
To add a verb: ``cli/<verb>.py`` with two ``EXAMPLES``, a line in ``main.VERBS``, and a script in
``tests/cli/scripts``.
"""
