"""Chains and trees of bones: their targets, how they are posed, and why not."""
