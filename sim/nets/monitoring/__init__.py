"""Which layer broke: a monitor for any torch module, and faults to try it on."""
