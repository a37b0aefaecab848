"""The queue of experiment runs, the limited child that executes one, the worker."""
