"""What the API server and the kubelet do with pods: ``admission`` and ``command``."""
