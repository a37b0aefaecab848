"""One folder a topic, one module an experiment.

One thread computes unless OMP_NUM_THREADS asks for more: at these sizes a second thread
costs more than it brings, and a worker runs one process on each core. This is settled here,
not where the networks are: who only watches a model of his own keeps his threads.
"""

import os

import torch

if "OMP_NUM_THREADS" not in os.environ:
    torch.set_num_threads(1)
