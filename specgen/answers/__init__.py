"""What an API server answers to an object that it is asked to judge, as findings at the line that it came from.

The server names fields of the object (``spec.pytorchReplicaSpecs[Worker].replicas``); the origins of a compiled
manifest know which line of which profile a field follows from.

Lives here: ``fields`` (a field as the server spells it → a path in the tree), ``verdict`` (a Status and warnings →
findings), ``codes``. May import manifests and below; it asks nobody.
"""
