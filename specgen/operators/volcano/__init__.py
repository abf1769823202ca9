"""Volcano: its own ``job``, read so that its pods are checked as those of other kinds are.

``facts`` are its releases.
"""
