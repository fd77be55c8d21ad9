"""From a question to an answer: one target, many, all branches, among obstacles, and why not."""
