"""The quiz service: an HTTP API and web pages over the question bank."""
