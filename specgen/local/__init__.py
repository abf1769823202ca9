"""The pods that an operator would make of a job, as processes of this machine.

A stage like the others: it starts nothing and looks at nothing but the ``Machine`` that it is handed. What exists in
the job's image or on its cluster alone is a finding, before anything starts: a program, a script, a mounted path. What
the cluster provides in another way here (a fabric, a preloaded library, the operator's own init containers) is left
out, and a note says so.

``localise`` turns pods into processes, ``pod`` one of them, ``ranks`` those of a launcher; ``differences`` says what
the cluster would do differently; ``addresses`` are the pods' names and ports on one machine, ``model`` what comes of
it, ``codes`` what may be wrong.
"""
