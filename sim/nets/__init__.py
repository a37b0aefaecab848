"""Small Transformers, many at a time: every tensor has a leading model axis M.

Tensors live on torch's default device.
"""
