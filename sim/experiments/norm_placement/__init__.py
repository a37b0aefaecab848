"""Where normalisation stands in a residual block, and what follows from it."""
