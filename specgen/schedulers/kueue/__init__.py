"""Kueue 0.19: which jobs it lets begin, in which flavor and domain, and which sum keeps the others waiting.

``quota`` (cohorts, queues and what they have left), ``podsets`` (what of a job is counted), ``flavors`` (which flavor
each gets), ``eviction`` (who makes room), ``topology`` (which domains), ``manager`` (the turns that it takes, beside a
simulation of what stands behind it), ``writes`` (what pods of an admitted job bear). Held against recordings of the
real program.
"""
