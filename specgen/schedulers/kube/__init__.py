"""kube-scheduler 1.36 with its default profile, as functions of what stands where: a module a plugin.

``decide`` (one try of one pod), ``state`` (the nodes meanwhile), ``score`` (which of several nodes), ``preemption``
(which pods go), ``messages`` (what the pod is told), ``hints`` (which pods are tried again); ``taints``,
``nodeaffinity``, ``ports``, ``resources``, ``volumes``, ``spread``, ``podaffinity``, ``devices`` (with ``cel``) are
its filters, in its order.
"""
