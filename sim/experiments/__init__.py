"""One folder a topic, one module an experiment."""
