"""The plugin Coscheduling of scheduler-plugins 0.34: gangs by PodGroups, in a kube-scheduler of its own name.

``manager``: the sum before a gang, and all or nothing; ``configuration``: which schedulers have the plugin. Which
of several nodes a pod gets is not foretold.
"""
