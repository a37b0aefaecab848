"""When to meet a question again: pure functions, no SQL and no HTTP."""
