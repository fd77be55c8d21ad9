"""Chains and trees of bones: how they are posed."""
