"""Volcano 1.15 with its default configuration: which PodGroups come into the queue, and which gangs find nodes.

``manager`` (its two gates), beside a simulation of jobs and nodes. Which of several nodes a pod gets is not foretold.
"""
