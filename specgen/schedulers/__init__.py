"""What becomes of pods that wait for a node: who is let in, who is placed where, and which sum forbids it.

``world`` (nodes, pods, objects), made of real objects by ``objects``, with ``housed`` pods where nodes have no names;
``pods`` (a pod as schedulers see it), ``names`` (of nodes that somebody asks for); ``jobs`` (which pods
a job has at which time), ``admit`` (priority classes, runtime classes, quotas) and ``limits`` (LimitRanges),
``simulate`` (jobs in order until all rests) with ``placing`` (nodes and pods until none that waits finds a node),
``shapes`` (jobs that differ in their names alone) and ``stages`` (those of a job); ``fit`` (jobs in their order) with
``judge`` (what nodes make of one), ``verdict`` (the answer), ``unsaid`` (facts that nobody says), ``sums`` (its
arithmetic), ``walk`` (what filters leave), ``above`` (what no queue ever lets begin), ``turns`` (what one says of a
job), ``helps`` (what would help), ``spared`` (who need not go), ``smaller`` (pods that ask for less); ``kube`` is
kube-scheduler. Before and beside it stand ``kueue`` (queues), ``volcano`` and ``coscheduling`` (gangs, with ``gangs``,
and ``gang_answer`` for ``fit``): each takes the same world and the same pods, and lets the simulation do what is behind
it. Pods come from ``operators``; nothing here knows a profile, a plan or a rule.
"""
