"""The mpi-operator: MPIJob v2beta1.

``facts`` (releases, names), ``mpijob`` (the kind), ``pods`` (what it creates), ``hosts`` (host file and scripts),
``mpirun`` (which ranks a command line gives), ``refusals``, ``lifecycle``, ``updates``,
``images`` (what is known of upstream's).
"""
