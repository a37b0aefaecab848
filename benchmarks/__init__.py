"""Speed as ratios against named peers, measured side by side in one run."""
