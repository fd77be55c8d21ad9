"""What comes back: solutions, batches, tracks, and how a notebook shows them."""
