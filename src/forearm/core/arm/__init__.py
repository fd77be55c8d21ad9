"""A chain of joints: where its tip is, and how far from its target."""
