"""Training many networks at once: the loop, update rules, schedules, and what a step does."""
