"""Kueue 0.19: which jobs it lets begin, in which flavor and domain, and which sum keeps the others waiting.

``quota`` (cohorts, queues and what they have left), ``podsets`` (what of a job is counted), ``flavors`` (which flavor
each gets), ``eviction`` (who makes room), ``topology`` (which domains, of the nodes that ``hosts`` gathers),
``nominate`` (all of these for one job), ``above`` (a sum above all that a queue ever has), ``webhooks`` (what is
refused), ``refused`` (the same of queues and flavors), ``workload`` (a job as Kueue sees it), ``loose`` (plain pods,
and ``roles`` of a group of them), ``standing`` (those that a cluster has already), ``configuration`` (what Kueue is
started with), ``state`` (all of it now), ``entry`` (who comes under a queue), ``manager`` (the turns that it takes,
beside a simulation of what stands behind it), ``ready`` (pods that are ready, or have ended), ``steer`` (what pods of
an admitted job bear), ``answer`` (for ``fit``). Held against recordings of the real program.
"""
