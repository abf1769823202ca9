"""Volcano 1.15: which PodGroups come into the queue, and which gangs find nodes.

``manager`` (its two gates), beside a simulation of jobs and nodes, with ``configuration`` (what of its own is
followed), ``queues`` (their tree, and what each may have and deserves), ``books`` (what is counted of gangs),
``webhook`` (which queues are refused), ``answer`` (what a queue says) and ``hypernodes`` (domains of a network). Which
of several nodes a pod gets is not foretold, nor which of several gangs loses pods to another.
"""
