"""Small Transformers, many at a time: every tensor has a leading model axis M.

Tensors live on torch's default device. One thread computes unless OMP_NUM_THREADS asks for
more: at these sizes a second thread costs more than it brings, and a worker runs one process
on each core.
"""

import os

import torch

if "OMP_NUM_THREADS" not in os.environ:
    torch.set_num_threads(1)
