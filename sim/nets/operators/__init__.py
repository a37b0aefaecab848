"""What operators do by themselves: derivatives, invariances, folding, formats, traffic."""
