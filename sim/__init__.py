"""Experiments that test, in numbers, the claims that questions make."""
